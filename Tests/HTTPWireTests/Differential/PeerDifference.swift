import Testing

/// A reason for which we take what another parser refuses, or reads in another way.
struct PeerDifference: Sendable, CustomTestStringConvertible {
    let peer: PeerCase.Peer
    let role: PeerCase.Role
    /// Whether a standard asks for it: then it may be that all others refuse.
    let isRequired: Bool
    let reason: String
    /// Whether it explains a case.
    let explains: @Sendable (Sample) -> Bool

    /// A case and how the peer read it.
    struct Sample {
        /// Bytes, with LF for CR LF, which is one character to an expression.
        let text: String
        let method: String?
        let theirs: Reading

        /// Whether it is a response that has no body whatever its fields say.
        var isWithoutBody: Bool {
            method == "HEAD" || text.contains(#/^HTTP/1.[0-9] (204|304) /#)
        }
    }

    var testDescription: String { "\(peer): \(reason)" }

    /// All of them; docs/HTTP-SUPPORT.md lists them too.
    static let all: [PeerDifference] = [
        PeerDifference(
            peer: .h11, role: .request, isRequired: true,
            reason: "empty lines before a request line are skipped (RFC 9112 §2.2)",
            explains: { $0.theirs.reason == "no request line received" }),
        // No standard asks for it, but servers of all kinds take what h11 refuses here.
        PeerDifference(
            peer: .h11, role: .request, isRequired: true,
            reason: "bytes above 0x7F in a target go on as they came",
            explains: {
                $0.theirs.reason.hasPrefix("illegal request line")
                    && $0.text.contains(/^[^\n]*[\u{80}-\u{FF}][^\n]* HTTP\/1/)
            }),
        PeerDifference(
            peer: .h11, role: .request, isRequired: true,
            reason: "a chunk's size may have any number of leading zeros (RFC 9112 §7.1)",
            explains: {
                $0.theirs.reason.hasPrefix("illegal chunk header")
                    && $0.text.contains(/\n0{16}[0-9a-fA-F]*\n/)
            }),
        PeerDifference(
            peer: .h11, role: .request, isRequired: true,
            reason: "white space around the parts of a chunk extension (RFC 9112 §7.1.1)",
            explains: {
                $0.theirs.reason.hasPrefix("illegal chunk header") && $0.text.contains(";")
            }),
        PeerDifference(
            peer: .h11, role: .response, isRequired: true,
            reason: "white space before a colon is removed from responses (RFC 9112 §5.1)",
            explains: {
                $0.theirs.reason.hasPrefix("illegal header line") && hasSpacedColon($0.text)
            }),
        PeerDifference(
            peer: .h11, role: .response, isRequired: true,
            reason: "a response not chunked at last is read to its close (RFC 9112 §6.3)",
            explains: {
                $0.theirs.reason == "Only Transfer-Encoding: chunked is supported"
                    && hasCoding($0.text)
            }),
        PeerDifference(
            peer: .h11, role: .response, isRequired: true,
            reason: "a length means nothing in a response without body (RFC 9112 §6.3)",
            explains: {
                ["bad Content-Length", "conflicting Content-Length headers"]
                    .contains($0.theirs.reason) && $0.isWithoutBody
            }),
        PeerDifference(
            peer: .h11, role: .response, isRequired: false,
            reason: "a head may end with its connection, as clients take it",
            explains: {
                $0.theirs.reason == "peer unexpectedly closed connection"
                    && !$0.text.contains("\n\n")
            }),
        PeerDifference(
            peer: .nginx, role: .request, isRequired: true,
            reason: "a method is any token (RFC 9110 §9.1)",
            explains: { $0.theirs.reason == "400" && !hasUsualMethod($0.text) }),
        PeerDifference(
            peer: .nginx, role: .request, isRequired: true,
            reason: "OPTIONS may ask for the whole server (RFC 9112 §3.2.4)",
            explains: { $0.theirs.reason == "400" && $0.text.hasPrefix("OPTIONS * ") }),
        PeerDifference(
            peer: .nginx, role: .request, isRequired: true,
            reason: "paths are not looked into (RFC 9110 §7.7)",
            explains: {
                $0.theirs.reason == "400" && ($0.text.contains("%") || $0.text.contains(".."))
            }),
        PeerDifference(
            peer: .nginx, role: .request, isRequired: true,
            reason: "a tab is white space around a value (RFC 9110 §5.6.3)",
            explains: { $0.theirs.reason == "400" && $0.text.contains(":\t") }),
        PeerDifference(
            peer: .nginx, role: .response, isRequired: true,
            reason: "interim responses are no final ones (RFC 9110 §15.2)",
            explains: { $0.text.hasPrefix("HTTP/1.1 1") }),
        PeerDifference(
            peer: .nginx, role: .response, isRequired: true,
            reason: "white space before a colon is removed from responses (RFC 9112 §5.1)",
            explains: { $0.theirs.reason == "502" && hasSpacedColon($0.text) }),
        PeerDifference(
            peer: .nginx, role: .response, isRequired: false,
            reason: "folded lines of responses are joined (RFC 9112 §5.2)",
            explains: { $0.theirs.reason == "502" && $0.text.contains(/\n[ \t]/) }),
        PeerDifference(
            peer: .nginx, role: .response, isRequired: true,
            reason:
                "chunked counts as the last coding, not as a part of a name (RFC 9112 §6.3)",
            explains: {
                $0.text.contains(/(?i)transfer-encoding:[^\n]*(chunked[^\n]|[a-z]chunked)/)
            }),
    ]

    static func explain(
        _ peerCase: PeerCase, by peer: PeerCase.Peer, _ theirs: Reading
    ) -> PeerDifference? {
        let sample = Sample(
            text: peerCase.bytes.replacing("\r\n", with: "\n"), method: peerCase.methods.first,
            theirs: theirs)
        return all.first {
            $0.peer == peer && $0.role == peerCase.role && $0.explains(sample)
        }
    }

    private static func hasSpacedColon(_ bytes: String) -> Bool {
        bytes.contains(/\n[!-9;-~]+[ \t]+:/)
    }

    private static func hasCoding(_ bytes: String) -> Bool {
        bytes.contains(/(?i)\ntransfer-encoding[ \t]*:/)
    }

    /// Upper case letters, `-` and `_` are what nginx takes.
    private static func hasUsualMethod(_ bytes: String) -> Bool {
        let method = bytes.drop { $0.isNewline }.prefix { $0 != " " }
        return method.allSatisfy { ("A"..."Z").contains($0) || $0 == "-" || $0 == "_" }
    }
}
