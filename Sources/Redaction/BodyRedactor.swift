internal import ProxydCharsets
internal import ProxydContentCoding
package import ProxydHTTPModel
internal import ProxydParameterCoding

/// Removes credentials from bodies of known formats, and removes bodies that cannot be read.
package struct BodyRedactor: Sendable {
    /// The maximum nesting of parts that is searched; deeper ones are left out.
    private static let depthMax = 16

    private let redaction: Redaction
    /// How many multipart bodies enclose the content.
    private let depth: Int
    private var scanner: SecretScanner { redaction.scanner }

    package init(_ redaction: Redaction) { self.init(redaction, depth: 0) }

    private init(_ redaction: Redaction, depth: Int) {
        self.redaction = redaction
        self.depth = depth
    }

    /// The change to a message's body. Opaque bodies are not content: tunnels, WebSockets.
    package func change(_ body: Body, _ fields: HeaderFields?, isOpaque: Bool) -> BodyChange {
        guard !body.kept.isEmpty else { return .unchanged }
        if isOpaque { return .removed }
        let type = fields?["Content-Type"]
        let codings = fields?.values(named: "Content-Encoding") ?? []
        guard !codings.isEmpty else {
            return change(body.kept, contentType: type, isTruncated: body.isTruncated)
        }
        let content = ContentDecoder.decode(
            body.kept.span, contentEncoding: codings.joined(separator: ", "))
        guard content.failure == nil || body.isTruncated && content.isCut else { return .removed }
        let change = change(content.bytes, contentType: type, isTruncated: body.isTruncated)
        // A file name in gzip, or bytes after it, were not searched.
        guard case .unchanged = change, content.hasUnusedInput else { return change }
        return .replaced(content.bytes, leftOut: [])
    }

    /// The change to content without codings.
    func change(_ bytes: [UInt8], contentType: String?, isTruncated: Bool = false) -> BodyChange {
        let type = contentType.flatMap { MediaType($0) }
        let text = BodyText(bytes.span, contentType: type, isTruncated: isTruncated)
        let declared = type.flatMap { BodyKind(declared: $0) }
        let kind = declared.flatMap { $0.hasParts(in: bytes) ? $0 : nil } ?? text.kind
        guard let charset = text.charset, charset.isKnown, isConverted(kind) else {
            // In an unknown charset, letters may be anything.
            let isRead = text.charset?.isKnown ?? true || isText(bytes)
            return isRead ? change(bytes, kind, isDeclared: kind == declared) : .removed
        }
        let utf8 = charset.utf8(of: bytes)
        let change = change(utf8, kind, isDeclared: kind == declared)
        if utf8 == bytes { return change }
        guard case .replaced(let edited, let leftOut) = change else {
            // A reader that assumes another charset must not find more.
            return scanner.containsSecrets(bytes.span) ? .removed : change
        }
        let encoded = try? charset.encode(edited, inPlaceOf: bytes)
        return encoded.map { .replaced($0, leftOut: leftOut) } ?? .removed
    }

    /// Whether names are searched in the text of a body instead of its bytes.
    private func isConverted(_ kind: BodyKind) -> Bool {
        switch kind {
        case .form, .multipart, .multipartForm: false
        default: true
        }
    }

    /// - Parameter isDeclared: Whether the body is declared to be of this kind; otherwise it starts
    ///   like one, and may be another.
    private func change(_ bytes: [UInt8], _ kind: BodyKind, isDeclared: Bool) -> BodyChange {
        switch kind {
        case .empty: return .unchanged
        case .form: return replaced(PairRedactor(redaction).redacted(bytes))
        case .json:
            let shown = JSONRedactor.redacted(bytes, redaction)
            return shown == nil && !isDeclared ? text(bytes, .free) : replaced(shown, of: bytes)
        case .jsonLines: return lines(bytes)
        case .multipart(let boundary), .multipartForm(let boundary):
            guard depth < BodyRedactor.depthMax else { return .removed }
            return MultipartRedactor(redaction, BodyRedactor(redaction, depth: depth + 1))
                .change(bytes, boundary: boundary)
        case .eventStream:
            if bytes.contains(0) { return .removed }
            return replaced(
                EventRedactor(redaction: redaction, rest: .isSearched).redacted(bytes).bytes,
                of: bytes)
        case .xml, .html, .propertyListXML: return text(bytes, .markup)
        case .image(let subtype) where subtype.hasSuffix("xml"): return text(bytes, .markup)
        case .javaScript, .css: return text(bytes, .code)
        case .plainText: return text(bytes, .free)
        case .image, .audio, .video, .font:
            if isText(bytes) { return text(bytes, .free) }
            return MediaSignature.isThere(bytes.span) ? .unchanged : .removed
        case .binary, .protobuf, .grpc, .messagePack, .cbor, .propertyListBinary, .pdf, .archive,
            .webAssembly:
            return .removed
        }
    }

    private func text(_ bytes: [UInt8], _ syntax: TextSyntax) -> BodyChange {
        // UTF-16 and similar encodings, in which names would not be found.
        if bytes.contains(0) { return .removed }
        return replaced(scanner.redacted(bytes, syntax: syntax))
    }

    private func isText(_ bytes: [UInt8]) -> Bool {
        !bytes.contains { $0 < 0x09 } && (try? UTF8Span(validating: bytes.span)) != nil
    }

    /// The change to bytes that are nil if they have no credentials.
    private func replaced(_ shown: [UInt8]?) -> BodyChange {
        shown.map { .replaced($0, leftOut: []) } ?? .unchanged
    }

    /// The change to bytes that are nil if they cannot be read.
    private func replaced(_ shown: [UInt8]?, of bytes: [UInt8]) -> BodyChange {
        guard let shown else { return .removed }
        return shown == bytes ? .unchanged : .replaced(shown, leftOut: [])
    }

    private func lines(_ bytes: [UInt8]) -> BodyChange {
        var output: [UInt8] = []
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            .enumerated()
        {
            if index > 0 { output.append(0x0A) }
            guard line.contains(where: { $0 > 0x20 }) else {
                output += line
                continue
            }
            guard let shown = JSONRedactor.redacted(Array(line), redaction) else { return .removed }
            output += shown
        }
        return replaced(output, of: bytes)
    }
}

extension BodyKind {
    /// Whether it is a multipart kind whose delimiter occurs in the bytes: the text before the
    /// first part may start like anything.
    fileprivate func hasParts(in bytes: [UInt8]) -> Bool {
        switch self {
        case .multipart(let boundary), .multipartForm(let boundary):
            bytes.firstRange(of: Array("--".utf8) + boundary) != nil
        default: false
        }
    }
}

extension DecodedContent {
    /// Whether only the end is missing.
    fileprivate var isCut: Bool {
        if case .truncatedInput? = failure { return true }
        return false
    }
}

/// Whether bytes really are the images, sounds, films or fonts that they are declared as: those are
/// not searched, and anything could be declared as one.
private enum MediaSignature {
    /// The bytes at the start of formats, or from the fifth byte on.
    private static let signatures: [(bytes: [UInt8], offset: Int)] = [
        ([0x89, 0x50, 0x4E, 0x47], 0), ([0xFF, 0xD8, 0xFF], 0), (Array("GIF8".utf8), 0),
        (Array("RIFF".utf8), 0), (Array("BM".utf8), 0), ([0, 0, 1, 0], 0), ([0, 0, 2, 0], 0),
        (Array("II*\0".utf8), 0), (Array("MM\0*".utf8), 0), ([0xFF, 0x0A], 0),
        ([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20], 0), (Array("ftyp".utf8), 4),
        (Array("OggS".utf8), 0), (Array("ID3".utf8), 0), (Array("fLaC".utf8), 0),
        ([0xFF, 0xFB], 0), ([0xFF, 0xF3], 0), ([0xFF, 0xF2], 0), ([0xFF, 0xF1], 0),
        ([0xFF, 0xF9], 0), ([0x1A, 0x45, 0xDF, 0xA3], 0), ([0, 0, 1, 0xBA], 0), ([0x47, 0x40], 0),
        (Array("styp".utf8), 4), (Array("moof".utf8), 4), (Array("wOFF".utf8), 0),
        (Array("wOF2".utf8), 0), ([0, 1, 0, 0], 0), (Array("OTTO".utf8), 0),
        (Array("ttcf".utf8), 0), (Array("true".utf8), 0), (Array("MThd".utf8), 0),
    ]

    /// Whether a body starts like media.
    static func isThere(_ bytes: Span<UInt8>) -> Bool {
        let start = bytes.extracting(first: 64).withUnsafeBufferPointer { Array($0) }
        return signatures.contains { signature in
            start.dropFirst(signature.offset).starts(with: signature.bytes)
        }
    }
}

/// The effect of redaction on a body.
package enum BodyChange {
    /// The body contains no credentials and stays as it is.
    case unchanged
    /// The body is replaced by these bytes, not content-coded. `leftOut` names removed parts.
    case replaced([UInt8], leftOut: [String])
    case removed

    /// What was removed: `body`, or parts of it.
    package var leftOut: [String] {
        switch self {
        case .unchanged: []
        case .replaced(_, let parts): parts
        case .removed: ["body"]
        }
    }

    package func applied(to body: Body) -> Body {
        switch self {
        case .unchanged: body
        case .replaced(let bytes, _):
            // A truncated body stays truncated.
            Body(
                byteCount: body.isTruncated
                    ? max(body.byteCount, Int64(bytes.count) + 1) : Int64(bytes.count),
                kept: bytes)
        case .removed: Body(byteCount: body.byteCount, kept: [])
        }
    }
}

/// Removes credentials from multipart bodies: from the heads of their parts, and from the content
/// of each part according to its type. Anything before the first part and after the last is
/// removed.
struct MultipartRedactor: Sendable {
    /// A part that can be written again.
    private struct Piece {
        let head: MultipartPartHead
        var content: [UInt8] = []
    }

    private let names: SecretNames
    private let heads: HeadRedactor
    private let bodies: BodyRedactor

    init(_ redaction: Redaction, _ bodies: BodyRedactor) {
        names = redaction.names
        heads = HeadRedactor(redaction)
        self.bodies = bodies
    }

    /// The change to a body; it is removed if it is not a complete multipart body.
    func change(_ bytes: [UInt8], boundary: [UInt8]) -> BodyChange {
        guard let pieces = MultipartRedactor.pieces(of: bytes, boundary: boundary) else {
            return .removed
        }
        let delimiter = Array("--".utf8) + boundary
        let isOAuth = pieces.contains {
            ["grant_type", "redirect_uri", "code_verifier"].contains($0.head.name)
        }
        var output: [UInt8] = []
        var leftOut: [String] = []
        for (index, piece) in pieces.enumerated() {
            output += delimiter + [0x0D, 0x0A] + head(of: piece)
            switch change(piece, isOAuth: isOAuth) {
            case .unchanged: output += piece.content
            case .replaced(let bytes, let parts):
                output += bytes
                leftOut += parts.map { "\($0) in part \(index + 1) of the body" }
            case .removed: leftOut.append("part \(index + 1) of the body")
            }
            output += [0x0D, 0x0A]
        }
        output += delimiter + Array("--".utf8)
        let isSame = bytes.starts(with: output) && bytes.count - output.count <= 2
        return isSame ? .unchanged : .replaced(output + [0x0D, 0x0A], leftOut: leftOut)
    }

    private static func pieces(of bytes: [UInt8], boundary: [UInt8]) -> [Piece]? {
        let (events, isIntact) = MultipartEvent.all(in: bytes, boundary: boundary)
        guard isIntact else { return nil }
        var pieces: [Piece] = []
        for event in events {
            switch event {
            case .part(let head): pieces.append(Piece(head: head))
            case .data(let bytes):
                guard let last = pieces.indices.last else { return nil }
                pieces[last].content += bytes
            case .partEnd: break
            case .end(let isComplete): guard isComplete else { return nil }
            }
        }
        return pieces
    }

    /// The part's field lines, followed by the empty line.
    private func head(of piece: Piece) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in piece.head.fields {
            bytes += Array("\(field.name): ".utf8) + heads.value(field.value, of: field.name)
            bytes += [0x0D, 0x0A]
        }
        return bytes + [0x0D, 0x0A]
    }

    private func change(_ piece: Piece, isOAuth: Bool) -> BodyChange {
        guard !piece.content.isEmpty else { return .unchanged }
        if hides(piece) || isOAuth && names.knowsMore && piece.head.name == "code" {
            return .replaced(Array(Redaction.placeholder.utf8), leftOut: [])
        }
        guard piece.head.transferEncoding == .none else { return .removed }
        return bodies.change(piece.content, contentType: piece.head.contentType)
    }

    /// Whether the name of a part marks a credential. Some clients write `\w` for `w` (RFC 9110
    /// §5.6.4).
    private func hides(_ piece: Piece) -> Bool {
        guard let name = piece.head.name else { return false }
        let finder = SecretFinder(names, syntax: .free)
        return [UnescapedText.fully(name), name.utf8.filter { $0 != 0x5C }].contains {
            finder.isSecret(piece.content.span, names.hint($0.span))
        }
    }
}
