internal import ProxydCivilTime
internal import ProxydHTTPModel

/// The conditions of a request for a file (RFC 9110 §13). A file has a date but no entity tag.
struct FileConditions {
    enum Outcome: Sendable, Hashable {
        case met
        /// 304: the client's copy is still valid.
        case notModified
        /// 412: the file is not the one that the client expects.
        case failed
    }

    /// Whether the file is sent.
    let outcome: Outcome
    /// Whether a Range field applies: there is no If-Range, or it names the file's date.
    let allowsRange: Bool

    init(_ request: HeaderFields, modifiedSeconds: Int64) {
        func seconds(_ name: String) -> Int64? {
            let values = request.values(named: name)
            guard values.count == 1, let value = values.first else { return nil }
            return CookieDateReader.secondsSinceEpoch(value.utf8)
        }
        /// Nil if there is no such field; otherwise whether it is `*`.
        func meansAny(_ name: String) -> Bool? {
            let values = request.values(named: name)
            return values.isEmpty ? nil : values == ["*"]
        }
        let isUnmet =
            meansAny("If-Match").map { !$0 }
            ?? seconds("If-Unmodified-Since").map { modifiedSeconds > $0 } ?? false
        let isKnown =
            meansAny("If-None-Match")
            ?? seconds("If-Modified-Since").map { modifiedSeconds <= $0 } ?? false
        outcome = isUnmet ? .failed : isKnown ? .notModified : .met
        allowsRange =
            request.values(named: "If-Range").isEmpty || seconds("If-Range") == modifiedSeconds
    }
}
