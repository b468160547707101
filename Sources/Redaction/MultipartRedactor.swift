internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Removes credentials from multipart bodies: from the heads of their parts, and from the content
/// of each part as from a body of its type. What is before the first part and behind the last one
/// is removed.
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

    /// Whether the name of a part tells. Some clients write `\w` for `w` (RFC 9110 §5.6.4).
    private func hides(_ piece: Piece) -> Bool {
        guard let name = piece.head.name else { return false }
        let finder = SecretFinder(names, syntax: .free)
        return [DecodedText.fully(name), name.utf8.filter { $0 != 0x5C }].contains {
            finder.isSecret(piece.content.span, names.telling($0.span))
        }
    }
}
