/// The members of a session of Fiddler: `raw/0017_c.txt` and so on.
struct SessionParts {
    enum Kind: UInt8 {
        /// What the client sent.
        case client = 0x63
        /// What the server sent.
        case server = 0x73
        /// Facts about the session, as XML.
        case facts = 0x6D
        /// The messages of a WebSocket.
        case socket = 0x77
    }

    var client: ZIPMember?
    var server: ZIPMember?
    var facts: ZIPMember?
    var socket: ZIPMember?

    /// Whether all parts that every session has are there.
    var isWhole: Bool { client != nil && server != nil && facts != nil }

    /// Adds a part; returns false if there is one already.
    mutating func add(_ member: ZIPMember, _ kind: Kind) -> Bool {
        let place: WritableKeyPath<SessionParts, ZIPMember?> =
            switch kind {
            case .client: \.client
            case .server: \.server
            case .facts: \.facts
            case .socket: \.socket
            }
        guard self[keyPath: place] == nil else { return false }
        self[keyPath: place] = member
        return true
    }

    /// The number of the session and the kind of a part; nil for every other member, which is
    /// ignored. Nothing is ever written under a name of an archive.
    static func part(_ name: ArraySlice<UInt8>) -> (number: Int, kind: Kind)? {
        let text = String(decoding: name, as: UTF8.self).lowercased()
        let pieces = text.split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == "/" || $0 == "\\" })
        guard pieces.count == 2, pieces[0] == "raw" else { return nil }
        let file = pieces[1]
        let digits = file.prefix { $0.isASCII && $0.isNumber }
        let rest = Array(file.dropFirst(digits.count).utf8)
        guard rest.count == 6, rest[0] == UInt8(ascii: "_"), rest[2] == UInt8(ascii: "."),
            let number = Int(digits), let kind = Kind(rawValue: rest[1])
        else { return nil }
        return (number, kind)
    }

    /// Whether a name leads out of the folder in which an archive is unpacked.
    static func leadsOut(_ name: ArraySlice<UInt8>) -> Bool {
        let pieces = name.split(omittingEmptySubsequences: false) { $0 == 0x2F || $0 == 0x5C }
        return pieces.contains { $0.elementsEqual("..".utf8) }
            || (pieces.count > 1 && pieces[0].isEmpty)
    }
}
