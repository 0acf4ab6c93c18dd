// SPDX-License-Identifier: PostgreSQL
// Headers that nearly every translation unit of the user interface includes.
#pragma once

#include <QtWidgets>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
