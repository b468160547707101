internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// A part of a multipart body that can be reassembled.
struct MultipartPiece {
    let head: MultipartPartHead
    var content: [UInt8] = []

    /// Splits a body into its parts; nil if it is not a complete multipart body.
    static func all(of bytes: [UInt8], boundary: [UInt8]) -> [MultipartPiece]? {
        let (events, isIntact) = MultipartEvent.all(in: bytes, boundary: boundary)
        guard isIntact else { return nil }
        var pieces: [MultipartPiece] = []
        for event in events {
            switch event {
            case .part(let head): pieces.append(MultipartPiece(head: head))
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
    var headBytes: [UInt8] {
        var bytes: [UInt8] = []
        for field in head.fields {
            bytes += Array("\(field.name): ".utf8) + field.value + [0x0D, 0x0A]
        }
        return bytes + [0x0D, 0x0A]
    }
}
