/// The path inside a served folder that a request's path leads to.
public struct ServedPath: Sendable, Hashable {
    /// The names of folders and, last, of a file, percent-decoded once, as bytes, because a file
    /// name need not be valid text. None is empty, `.` or `..`, and none contains `/`, `\` or NUL.
    /// An empty list is the folder itself.
    public let names: [[UInt8]]
    /// Whether it names a folder: the path ends in `/`.
    public let isFolder: Bool

    /// Nil if the path is refused, with 403: it contains `..`, `\` or NUL in any spelling, or an
    /// escaped `/`. Each of them could lead out of the folder if another program interprets the
    /// path differently.
    /// - Parameters:
    ///   - path: The path of the request, as it was sent.
    ///   - prefix: Removed from the start if present, whole names only: `/static` leaves `/a` of
    ///     `/static/a`, and all of `/statics/a`.
    public init?(_ path: some Collection<UInt8>, stripping prefix: String? = nil) {
        let slash = UInt8(ascii: "/")
        let raw = path.split(separator: slash, omittingEmptySubsequences: true)
        var names: [[UInt8]] = []
        for name in raw {
            guard let decoded = ServedPath.decoded(name) else { return nil }
            // `.` names the folder itself and is dropped.
            if decoded != [UInt8(ascii: ".")] { names.append(decoded) }
        }
        let endsInFolder = raw.last.map { ServedPath.decoded($0) == [UInt8(ascii: ".")] } ?? false
        let stripped = (prefix ?? "").utf8.split(separator: slash).map { Array($0) }
        let isStripped = !stripped.isEmpty && names.starts(with: stripped)
        self.names = isStripped ? Array(names.dropFirst(stripped.count)) : names
        isFolder = endsInFolder || path.reversed().first == slash
    }

    /// The last name as text, which determines the media type; empty if there is none.
    public var fileName: String { names.last.map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// Returns a name with its escapes decoded; invalid escapes are kept. Nil if it is refused.
    private static func decoded(_ name: some Collection<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        var rest = Array(name)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2, let high = digit(rest.first),
                let low = digit(rest.dropFirst().first)
            else {
                decoded.append(byte)
                continue
            }
            decoded.append(high << 4 | low)
            rest = rest.dropFirst(2)
        }
        let isRefused = decoded.contains { refused.contains($0) }
        return isRefused || decoded == Array("..".utf8) ? nil : decoded
    }

    private static let refused: [UInt8] = [0, UInt8(ascii: "/"), UInt8(ascii: "\\")]

    private static func digit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case let byte? where byte &- 0x30 < 10: byte &- 0x30
        case let byte? where (byte | 0x20) &- 0x61 < 6: (byte | 0x20) &- 0x61 + 10
        default: nil
        }
    }
}
