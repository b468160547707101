internal import ProxydCOpenSSL

/// OpenSSL's per-thread error queue: cleared before a call whose failure will be inspected, and
/// drained after it, so that no error is attributed to the wrong session.
enum ErrorQueue {
    /// The first error of a failed call.
    struct Entry {
        let reason: Int32
        let text: String
    }

    /// Discards errors from earlier calls.
    static func clear() {
        ERR_clear_error()
    }

    /// Removes the oldest entry, which is the cause, and empties the queue.
    static func drain() -> Entry {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let text = ERR_reason_error_string(code) else {
            return Entry(reason: 0, text: "unknown error")
        }
        return Entry(reason: ERR_GET_REASON(code), text: String(cString: text))
    }

    /// A configuration error with OpenSSL's reason appended.
    static func configurationError(_ action: String) -> TLSError {
        TLSError(kind: .configuration, message: "\(action): \(drain().text)")
    }
}
