// SPDX-License-Identifier: PostgreSQL
// How often something may be done that takes longer the larger the run is.
#pragma once

#include <QElapsedTimer>
#include <algorithm>

namespace gantry::ui {

/// Keeps what it paces below a twentieth of the thread's time.
class Pace {
public:
    explicit Pace(int leastMs) : leastMs_(leastMs) {}

    bool due() const {
        constexpr qint64 kShare = 20;
        return !since_.isValid() ||
               since_.elapsed() >= std::max<qint64>(leastMs_, kShare * tookMs_);
    }
    /// It was done just now, and took so long.
    void took(qint64 ms) {
        tookMs_ = ms;
        since_.start();
    }
    /// Lives as long as it is being done.
    class Turn {
    public:
        explicit Turn(Pace& pace) : pace_(pace) { watch_.start(); }
        ~Turn() { pace_.took(watch_.elapsed()); }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

    private:
        Pace& pace_;
        QElapsedTimer watch_;
    };

private:
    int leastMs_;
    qint64 tookMs_ = 0;
    QElapsedTimer since_;
};

}  // namespace gantry::ui
