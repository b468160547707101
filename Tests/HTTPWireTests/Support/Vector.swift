import HTTPModel
import Testing

/// One case of a Markdown vector file: a heading, a `wire` block and an `events` block.
///
/// The wire block's info string says `wire request` or `wire response`, then perhaps
/// `to=GET,HEAD` (methods answered) and `eof` (the connection ends behind it).
struct Vector: Sendable, CustomTestStringConvertible {
    let title: String
    let isResponse: Bool
    let methods: [HTTPMethod]
    let endsThere: Bool
    let octets: [UInt8]
    let events: [String]

    var testDescription: String { title }

    /// What our decoder says of the octets cut into pieces.
    func transcript(_ pieces: [ArraySlice<UInt8>]) -> [String] {
        isResponse
            ? Transcript.ofResponses(pieces, to: methods, endsThere: endsThere)
            : Transcript.ofRequests(pieces, endsThere: endsThere)
    }
}
