// SPDX-License-Identifier: PostgreSQL
#include "core/restore/statement_splitter.h"

namespace gantry::restore {

void StatementSplitter::add(std::string_view text) {
    text_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
    text_ += text;
}

std::optional<std::string> StatementSplitter::next() {
    for (; scanned_ < text_.size(); ++scanned_) {
        const char c = text_[scanned_];
        if (quote_ != 0) {
            if (escapes_ && c == '\\') {
                if (scanned_ + 1 == text_.size())
                    return std::nullopt;  // what it escapes is to come
                ++scanned_;
            } else if (c == quote_) {
                quote_ = 0;  // a doubled quote opens at once again
            }
        } else if (c == '\'' || c == '"') {
            const char before = scanned_ == 0 ? ' ' : text_[scanned_ - 1];
            // The second half of a doubled quote goes on as the literal began.
            if (before != c) escapes_ = c == '\'' && (before == 'E' || before == 'e');
            quote_ = c;
        } else if (c == ';') {
            std::string statement = text_.substr(begin_, scanned_ + 1 - begin_);
            begin_ = ++scanned_;
            return statement;
        }
    }
    return std::nullopt;
}

bool StatementSplitter::isAtEnd() const {
    return quote_ == 0 && text_.find_first_not_of(" \t\r\n", begin_) == std::string::npos;
}

}  // namespace gantry::restore
