public import ProxydHTTPModel

/// A request whose `Expect: 100-continue` was answered 417. Its client may send it again without
/// the expectation, or send the body of the first one all the same (RFC 9110 §10.1.1), which must
/// not be taken for another request by what stands in it.
public struct UnmetExpectation: Sendable {
    private let refused: RequestHead

    /// The request that was refused.
    public init(_ refused: RequestHead) { self.refused = refused }

    /// Whether a head that has come in part may still become the request again.
    public func mayBecomeRepeated(_ partialHead: [UInt8]) -> Bool {
        zip(startLine(of: refused), partialHead).allSatisfy { $0 == $1 }
    }

    /// Whether a request is the refused one again: byte for byte the same head, Expect lines aside.
    public func isRepeated(by head: RequestHead) -> Bool {
        guard startLine(of: head) == startLine(of: refused) else { return false }
        let ours = refused.fields.lines.filter { $0.name != .expect }
        let theirs = head.fields.lines.filter { $0.name != .expect }
        return ours.count == theirs.count
            && zip(ours, theirs).allSatisfy { our, their in
                refused.fields.octets[our.range] == head.fields.octets[their.range]
            }
    }

    private func startLine(of head: RequestHead) -> ArraySlice<UInt8> {
        head.octets[..<(head.fields.lines.first.map { Int($0.start) } ?? head.octets.count)]
    }
}
