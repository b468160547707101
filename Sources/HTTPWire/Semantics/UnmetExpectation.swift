public import ProxydHTTPModel

/// A request whose `Expect: 100-continue` was answered with 417. Its client may repeat it without
/// the expectation, or may still send the body of the first request (RFC 9110 §10.1.1), whose
/// content must not be mistaken for another request.
public struct UnmetExpectation: Sendable {
    private let refused: RequestHead

    /// Creates an unmet expectation from the refused request.
    public init(_ refused: RequestHead) { self.refused = refused }

    /// Whether a partially received head may still turn out to be the repeated request.
    public func mayBecomeRepeated(_ partialHead: [UInt8]) -> Bool {
        zip(startLine(of: refused), partialHead).allSatisfy { $0 == $1 }
    }

    /// Whether a request repeats the refused one: its head is the same byte for byte, apart from
    /// Expect lines.
    public func isRepeated(by head: RequestHead) -> Bool {
        guard startLine(of: head) == startLine(of: refused) else { return false }
        let ours = refused.fields.lines.filter { $0.name != .expect }
        let theirs = head.fields.lines.filter { $0.name != .expect }
        return ours.count == theirs.count
            && zip(ours, theirs).allSatisfy { our, their in
                refused.fields.bytes[our.range] == head.fields.bytes[their.range]
            }
    }

    private func startLine(of head: RequestHead) -> ArraySlice<UInt8> {
        head.bytes[..<(head.fields.lines.first.map { Int($0.start) } ?? head.bytes.count)]
    }
}
