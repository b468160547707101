import ProxydHTTPModel
import ProxydHTTPWire

/// Bytes that several parsers read.
struct PeerCase: Sendable, Codable {
    enum Role: String, Sendable, Codable { case request, response }

    let id: Int
    let role: Role
    /// Each scalar below U+0100 is the byte of its number.
    let octets: String
    /// What responses answer, in turn.
    let methods: [String]
    /// Who shall read it.
    let peers: [Peer]

    enum Peer: String, Sendable, Codable, CaseIterable { case h11, nginx }

    init(id: Int, role: Role, octets: [UInt8], methods: [String], peers: [Peer]) {
        self.id = id
        self.role = role
        self.octets = Latin1.text(octets)
        self.methods = methods
        self.peers = peers
    }
}

/// Bytes as the scalars of their numbers.
enum Latin1 {
    static func text(_ octets: some Sequence<UInt8>) -> String {
        var text = ""
        for octet in octets { text.unicodeScalars.append(Unicode.Scalar(octet)) }
        return text
    }

    static func octets(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}
