import ProxydHTTPModel
import ProxydHTTPWire

/// Bytes that several parsers read.
struct PeerCase: Sendable, Codable {
    enum Role: String, Sendable, Codable { case request, response }

    let id: Int
    let role: Role
    /// Each scalar below U+0100 is the byte of its number.
    let bytes: String
    /// What responses answer, in turn.
    let methods: [String]
    /// Who shall read it.
    let peers: [Peer]

    enum Peer: String, Sendable, Codable, CaseIterable { case h11, nginx }

    init(id: Int, role: Role, bytes: [UInt8], methods: [String], peers: [Peer]) {
        self.id = id
        self.role = role
        self.bytes = Latin1.text(bytes)
        self.methods = methods
        self.peers = peers
    }
}

/// Bytes as the scalars of their numbers.
enum Latin1 {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }

    static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}
