internal import ProxydParameterCoding

/// A part of a multipart body that can be reassembled.
struct MultipartPiece {
    let head: MultipartPartHead
    var content: [UInt8] = []

    /// Splits a body into its parts; nil if it is not a complete multipart body.
    static func all(of octets: [UInt8], boundary: [UInt8]) -> [MultipartPiece]? {
        let (events, isIntact) = MultipartEvent.all(in: octets, boundary: boundary)
        guard isIntact else { return nil }
        var pieces: [MultipartPiece] = []
        for event in events {
            switch event {
            case .part(let head): pieces.append(MultipartPiece(head: head))
            case .data(let octets):
                guard let last = pieces.indices.last else { return nil }
                pieces[last].content += octets
            case .partEnd: break
            case .end(let isComplete): guard isComplete else { return nil }
            }
        }
        return pieces
    }

    /// The part's field lines, followed by the empty line.
    var headOctets: [UInt8] {
        var octets: [UInt8] = []
        for field in head.fields {
            octets += Array("\(field.name): ".utf8) + field.value + [0x0D, 0x0A]
        }
        return octets + [0x0D, 0x0A]
    }
}
