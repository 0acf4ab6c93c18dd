// SPDX-License-Identifier: PostgreSQL
// A value that hardly any object of its kind has.
#pragma once

#include <memory>
#include <utility>

namespace gantry {

/// As std::optional, copies included, but lies elsewhere: while there is none it takes the room of
/// a pointer.
template <class T>
class Rare {
public:
    Rare() = default;
    Rare(T value) : value_(std::make_unique<T>(std::move(value))) {}
    Rare(const Rare& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
    Rare(Rare&& other) noexcept = default;
    Rare& operator=(Rare other) noexcept {
        value_ = std::move(other.value_);
        return *this;
    }
    ~Rare() = default;

    explicit operator bool() const { return value_ != nullptr; }
    const T& operator*() const { return *value_; }
    const T* operator->() const { return value_.get(); }

private:
    std::unique_ptr<T> value_;
};

}  // namespace gantry
