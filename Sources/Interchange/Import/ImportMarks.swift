internal import ProxydHTTPModel

/// What a file does not have of an exchange. It is marked by tags, so that it can be seen and
/// searched for.
struct ImportMarks: OptionSet {
    let rawValue: UInt16

    /// Heads are composed of names and values: spacing is lost.
    static let rebuiltHead = ImportMarks(rawValue: 1)
    /// Content codings were removed from a body.
    static let decodedBody = ImportMarks(rawValue: 2)
    /// A body was not saved.
    static let missingBody = ImportMarks(rawValue: 4)
    /// It is not known when the exchange happened.
    static let missingTime = ImportMarks(rawValue: 8)
    /// Messages of a WebSocket were not saved.
    static let missingMessages = ImportMarks(rawValue: 16)
    /// A header that no message can have was left out.
    static let missingHeader = ImportMarks(rawValue: 32)
    /// A browser took the response from its cache.
    static let fromCache = ImportMarks(rawValue: 64)
    /// Bytes within a body are missing in the capture.
    static let missingBytes = ImportMarks(rawValue: 128)

    /// A body is as the file writes it, in an encoding that is not known.
    static let unknownEncoding = ImportMarks(rawValue: 256)
    /// Bytes of the file that are not text were replaced.
    static let damagedText = ImportMarks(rawValue: 512)

    private static let names: [(mark: ImportMarks, tag: String)] = [
        (.rebuiltHead, "rebuilt-head"), (.decodedBody, "decoded-body"),
        (.missingBody, "missing-body"), (.missingTime, "missing-time"),
        (.missingMessages, "missing-messages"), (.missingHeader, "missing-header"),
        (.fromCache, "from-cache"), (.missingBytes, "missing-bytes"),
        (.unknownEncoding, "unknown-encoding"), (.damagedText, "damaged-text"),
    ]

    /// Adds a tag for each mark.
    func apply(to exchange: inout Exchange) {
        for (mark, tag) in ImportMarks.names where contains(mark) {
            exchange.annotations.tags.append(tag)
        }
    }
}
