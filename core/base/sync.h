// SPDX-License-Identifier: PostgreSQL
// A mutex that clang's thread-safety analysis understands; elsewhere the annotations vanish.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define GANTRY_ANNOTATE(x) __attribute__((x))
#else
#define GANTRY_ANNOTATE(x)
#endif
#define GANTRY_CAPABILITY(x) GANTRY_ANNOTATE(capability(x))
#define GANTRY_SCOPED_CAPABILITY GANTRY_ANNOTATE(scoped_lockable)
#define GUARDED_BY(x) GANTRY_ANNOTATE(guarded_by(x))
#define REQUIRES(...) GANTRY_ANNOTATE(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) GANTRY_ANNOTATE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) GANTRY_ANNOTATE(release_capability(__VA_ARGS__))
#define EXCLUDES(...) GANTRY_ANNOTATE(locks_excluded(__VA_ARGS__))

namespace gantry {

class GANTRY_CAPABILITY("mutex") Mutex {
public:
    void lock() ACQUIRE() { mutex_.lock(); }
    void unlock() RELEASE() { mutex_.unlock(); }

private:
    friend class MutexLock;
    std::mutex mutex_;
};

/// Holds a Mutex for a scope; `native()` is what a std::condition_variable waits with.
class GANTRY_SCOPED_CAPABILITY MutexLock {
public:
    explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : lock_(mutex.mutex_) {}
    ~MutexLock() RELEASE() = default;
    MutexLock(const MutexLock&) = delete;
    MutexLock& operator=(const MutexLock&) = delete;

    std::unique_lock<std::mutex>& native() { return lock_; }

private:
    std::unique_lock<std::mutex> lock_;
};

}  // namespace gantry
