internal import ProxydCharsets
internal import ProxydParameterCoding

/// The start of a body that streams, until it tells the charset of its lines.
///
/// A document may declare its charset in its first 1,024 bytes, which therefore wait, as in
/// browsers, if nothing else says it. The answer does not depend on how the body is divided.
struct LineBeginning: Sendable {
    private static let declarationByteCountMax = 1024
    private static let lf: UInt8 = 0x0A

    /// What has arrived.
    private(set) var bytes: [UInt8] = []
    private let label: String?
    private let syntax: DocumentSyntax

    /// Waits for a body with this Content-Type.
    init(_ type: MediaType?) {
        label = type?.charset
        syntax = type.flatMap { BodyKind(declared: $0) }?.syntax ?? .plain
    }

    mutating func append(_ piece: Span<UInt8>) {
        piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// The charset; nil if it may show in what follows.
    func charset(isEnd: Bool) -> TextCharset? {
        if mayBeginMark, !isEnd { return nil }
        if isDeclared { return TextCharset(of: bytes.span, label: label, syntax: syntax) }
        let isAll = isEnd || bytes.count >= LineBeginning.declarationByteCountMax
        let lines = isAll ? bytes.count : bytes.lastIndex(of: LineBeginning.lf).map { $0 + 1 } ?? 0
        let start = bytes.prefix(min(lines, LineBeginning.declarationByteCountMax))
        let found = TextCharset(of: Array(start).span, syntax: syntax)
        // Later bytes cannot be known: what nothing declares is UTF-8.
        if found.origin == .document { return found }
        return isAll ? TextCharset(.utf8) : nil
    }

    /// Whether the bytes may be the start of a byte order mark.
    private var mayBeginMark: Bool {
        let marks: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE]]
        return marks.contains { bytes.count < $0.count && $0.starts(with: bytes) }
    }

    /// Whether the charset is known without a declaration in the document.
    private var isDeclared: Bool {
        if TextCharset.byteOrderMark(bytes.span) != nil { return true }
        if label.flatMap({ Charset(label: $0) }) != nil { return true }
        switch syntax {
        case .html, .xml, .css: return false
        case .plain, .json, .eventStream: return true
        }
    }
}
