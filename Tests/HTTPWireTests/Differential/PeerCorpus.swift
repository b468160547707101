import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport

/// What all parsers read: every message of the vector files, and valid ones damaged at random from
/// a fixed seed; then what we would send on for each of them, for h11 alone.
enum PeerCorpus {
    static let cases: [PeerCase] = {
        var cases: [PeerCase] = []
        for vector in vectors + damaged {
            cases.append(peerCase(vector, id: cases.count))
        }
        for text in borderline {
            cases.append(
                PeerCase(
                    id: cases.count, role: .request, bytes: Latin1.bytes(text), methods: [],
                    peers: PeerCase.Peer.allCases))
        }
        for received in cases {
            guard let bytes = OurReading.forwarded(received) else { continue }
            cases.append(
                PeerCase(
                    id: cases.count, role: received.role, bytes: bytes,
                    methods: received.methods, peers: [.h11]))
        }
        return cases
    }()

    /// Cases whose bytes are as received, not as sent on.
    static func isReceived(_ peerCase: PeerCase) -> Bool { peerCase.peers.contains(.nginx) }

    /// Requests that are known to be read in several ways, and a second one behind each.
    private static let borderline: [String] =
        [
            "GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", "GET /../x HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET /a%2f..%2f HTTP/1.1\r\nHost: h\r\n\r\n", "GET /\u{7F} HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
        ]
        + [
            "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5, 5",
            "Content-Length: 5\r\nContent-Length: 6", "Content-Length: +5", "Content-Length: 5 ",
            "Content-Length:\t5", "Content-Length: 05", "Content-Length: 0x5", "Content-Length: 5;",
            "Content-Length: 4294967301", "Content-Length: 18446744073709551621",
            "Content-Length : 5", "Content-Length\t: 5", "content_length: 5", " Content-Length: 5",
            "X: y\r\n Content-Length: 5", "X: y\nContent-Length: 5", "X: y\rContent-Length: 5",
            "X: \u{0}\r\nContent-Length: 5", "Content-Length: 5\u{0}", "Content-Length: \u{B}5",
            "Transfer-Encoding: chunked\r\nContent-Length: 5", "Transfer-Encoding: identity",
            "Content-Length: 5\r\nTransfer-Encoding: identity",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
            "Transfer-Encoding: identity, chunked", "Transfer-Encoding: chunked, identity",
            "Transfer-Encoding: xchunked", "Transfer-Encoding:\u{B}chunked",
            "Transfer-Encoding: \u{0}chunked", "Transfer-Encoding : chunked",
            "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;q=1",
            "Transfer-Encoding:\r\n chunked", "transfer_encoding: chunked",
            "Transfer-Encoding: Chunked\r\nConnection: close, Transfer-Encoding",
            "Expect: 100-continue\r\nContent-Length: 5", "Upgrade: x\r\nContent-Length: 5",
        ].map {
            "POST /1 HTTP/1.1\r\nHost: h\r\n\($0)\r\n\r\n"
                + "0\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n"
        }

    private static let damagedCount = 1_500

    private static let vectors = WireVectorFile.all.filter {
        $0.bytes.count < 2_000 && !isTunnel($0)
    }

    /// A switch of protocols no one asked for is the engine's affair, not the decoder's.
    private static func isTunnel(_ vector: WireVector) -> Bool {
        Latin1.text(vector.bytes.prefix(12)).hasSuffix(" 101") || vector.methods.contains(.connect)
    }

    /// What is refused already would hardly become something that is taken.
    private static let damaged: [WireVector] = {
        let valid = vectors.filter {
            let reading = OurReading.of(peerCase($0, id: 0))
            return reading.end != .refused && !reading.messages.isEmpty
        }
        var random = SplitMix(seed: 9112)
        return (0..<damagedCount).map { _ in
            let vector = valid[random.below(valid.count)]
            let bytes = Damage.apply(to: withHost(vector), using: &random)
            return WireVector(
                title: vector.title, isResponse: vector.isResponse, methods: vector.methods,
                endsThere: true, bytes: bytes, events: [])
        }
    }()

    private static func peerCase(_ vector: WireVector, id: Int) -> PeerCase {
        PeerCase(
            id: id, role: vector.isResponse ? .response : .request,
            bytes: vector.events.isEmpty ? vector.bytes : withHost(vector),
            methods: vector.methods.map(\.rawValue), peers: PeerCase.Peer.allCases)
    }

    /// A vector's bytes; requests that name no host get one, or everybody would refuse them.
    private static func withHost(_ vector: WireVector) -> [UInt8] {
        let text = Latin1.text(vector.bytes)
        guard !vector.isResponse, !text.lowercased().contains("host"),
            let end = text.firstRange(of: "\r\n")?.upperBound
        else { return vector.bytes }
        return Latin1.bytes(String(text[..<end]) + "Host: h\r\n" + String(text[end...]))
    }
}

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
