internal import ProxydCOpenSSL

/// OpenSSL's per-thread error queue: cleared before a call whose failure will be looked at,
/// drained after it, so that no error is blamed on the wrong session.
enum ErrorQueue {
    /// The first error of a failed call.
    struct Entry {
        let reason: Int32
        let text: String
    }

    /// Forgets what earlier calls left behind.
    static func clear() {
        ERR_clear_error()
    }

    /// Takes the oldest entry, which names the cause, and empties the queue.
    static func drain() -> Entry {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let text = ERR_reason_error_string(code) else {
            return Entry(reason: 0, text: "unknown error")
        }
        return Entry(reason: ERR_GET_REASON(code), text: String(cString: text))
    }

    /// An error of our own making with OpenSSL's reason added.
    static func configurationError(_ action: String) -> TLSError {
        TLSError(kind: .configuration, message: "\(action): \(drain().text)")
    }
}
