// SPDX-License-Identifier: PostgreSQL
// A growable byte buffer that does not zero what is about to be overwritten.
// A large one lies in huge pages where the system has them: whoever fills and reads megabytes in a
// row finds their addresses a good deal sooner.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace gantry {

/// Owns `capacity()` bytes of which the first `size()` are in use. Movable, not copyable.
/// Growth keeps the content; `clear()` keeps the memory. Not thread-safe.
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t capacity) { reserve(capacity); }
    Buffer(Buffer&& other) noexcept
        : bytes_(std::move(other.bytes_)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        bytes_ = std::move(other.bytes_);
        size_ = std::exchange(other.size_, 0);
        capacity_ = std::exchange(other.capacity_, 0);
        return *this;
    }

    std::byte* data() { return bytes_.get(); }
    const std::byte* data() const { return bytes_.get(); }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    bool empty() const { return size_ == 0; }
    std::span<std::byte> span() { return {data(), size_}; }
    std::span<const std::byte> span() const { return {data(), size_}; }

    void clear() { size_ = 0; }

    /// Makes room for at least `capacity` bytes in all.
    void reserve(std::size_t capacity) {
        if (capacity <= capacity_) return;
        Bytes grown(allocate(capacity));
        if (size_ > 0) std::memcpy(grown.get(), bytes_.get(), size_);
        bytes_ = std::move(grown);
        capacity_ = capacity;
    }

    /// Sets the size; new bytes are indeterminate.
    void resize(std::size_t size) {
        if (size > capacity_) reserve(size > 2 * capacity_ ? size : 2 * capacity_);
        size_ = size;
    }

    void append(std::span<const std::byte> bytes) {
        if (bytes.empty()) return;
        const std::size_t old = size_;
        resize(old + bytes.size());
        std::memcpy(data() + old, bytes.data(), bytes.size());
    }
    void append(std::string_view text) { append(std::as_bytes(std::span(text))); }

    /// Gives memory beyond `capacity` back, so that one huge row does not stay resident for good.
    void shrinkTo(std::size_t capacity) {
        if (capacity_ <= capacity) return;
        *this = Buffer();
        reserve(capacity);
    }

private:
    struct Free {
        void operator()(std::byte* bytes) const;
    };
    using Bytes = std::unique_ptr<std::byte[], Free>;

    /// Throws std::bad_alloc.
    static std::byte* allocate(std::size_t size);

    Bytes bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

/// Text as bytes, and bytes as text, without a copy.
inline std::span<const std::byte> bytesOf(std::string_view text) {
    return std::as_bytes(std::span(text));
}
inline std::string_view textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace gantry
