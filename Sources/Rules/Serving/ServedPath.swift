/// Where in a folder a request's path leads.
public struct ServedPath: Sendable, Hashable {
    /// Names of folders and, last, of a file, percent-decoded once, as bytes: a file's name need be
    /// no text. None is empty, `.` or `..`, and none holds `/`, `\` or NUL. No name is the folder
    /// itself.
    public let names: [[UInt8]]
    /// Whether it asks for a folder: the path ends in `/`.
    public let isFolder: Bool

    /// Nil where the path is refused, with 403: it has `..`, `\` or NUL in any spelling, or an
    /// escaped `/`. Each could lead out of the folder where one program reads the path as another
    /// does not.
    /// - Parameters:
    ///   - path: The path of the request, as it was sent.
    ///   - prefix: What is taken away at its start where it is there, whole names only: `/static`
    ///     leaves `/a` of `/static/a`, and all of `/statics/a`.
    public init?(_ path: some Collection<UInt8>, stripping prefix: String? = nil) {
        let slash = UInt8(ascii: "/")
        let raw = path.split(separator: slash, omittingEmptySubsequences: true)
        var names: [[UInt8]] = []
        for name in raw {
            guard let decoded = ServedPath.decoded(name) else { return nil }
            // A folder's name for itself leads nowhere.
            if decoded != [UInt8(ascii: ".")] { names.append(decoded) }
        }
        let endsInFolder = raw.last.map { ServedPath.decoded($0) == [UInt8(ascii: ".")] } ?? false
        let stripped = (prefix ?? "").utf8.split(separator: slash).map { Array($0) }
        let isStripped = !stripped.isEmpty && names.starts(with: stripped)
        self.names = isStripped ? Array(names.dropFirst(stripped.count)) : names
        isFolder = endsInFolder || path.reversed().first == slash
    }

    /// The last name as text, for the type of the file; empty where there is none.
    public var fileName: String { names.last.map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// A name with its escapes undone; what is no escape stays. Nil where it is refused.
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
