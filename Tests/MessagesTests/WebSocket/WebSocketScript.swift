import ProxydContentCoding
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydMessages

/// Frames that one side sends, written one after the other.
struct WebSocketScript {
    private(set) var bytes: [UInt8] = []
    private let isClient: Bool

    init(_ direction: MessageRecord.Direction) { isClient = direction == .toServer }

    /// Adds a frame, with a mask where the side must mask or where told otherwise.
    func frame(
        _ opcode: UInt8, _ payload: [UInt8], fin: Bool = true, bits: UInt8 = 0,
        masked: Bool? = nil
    ) -> WebSocketScript {
        var next = self
        var header = WebSocketFrameHeader(
            isFinal: fin, reservedBits: bits, opcode: WebSocketOpcode(rawValue: opcode),
            payloadByteCount: UInt64(payload.count))
        guard masked ?? isClient else {
            header.write(into: &next.bytes)
            next.bytes += payload
            return next
        }
        header.maskingKey = 0xA5B6_C7D8
        header.write(into: &next.bytes)
        var mask = WebSocketMask(key: 0xA5B6_C7D8)
        mask.append(payload.span, to: &next.bytes)
        return next
    }

    func frame(_ opcode: UInt8, _ text: String, fin: Bool = true, bits: UInt8 = 0) -> Self {
        frame(opcode, Array(text.utf8), fin: fin, bits: bits)
    }

    /// Adds bytes as they are.
    func raw(_ more: [UInt8]) -> WebSocketScript {
        var next = self
        next.bytes += more
        return next
    }
}

/// What an observer tells about one direction's bytes.
func told(
    _ bytes: [UInt8], _ direction: MessageRecord.Direction = .toClient,
    _ agreement: WebSocketAgreement = WebSocketAgreement(), limits: MessageLimits = MessageLimits(),
    cuts: [Int] = [], ends: Bool = true
) -> [MessageRecord] {
    let observer = WebSocketObserver(agreement: agreement, limits: limits)
    var records: [MessageRecord] = []
    var start = 0
    for end in cuts + [bytes.count] {
        observer.receive(bytes.span.extracting(start..<end), direction) { records.append($0) }
        start = end
    }
    if ends { observer.end { records.append($0) } }
    return records
}

extension MessageRecord {
    /// What it says.
    var kept: [UInt8] { if case .bytes(let bytes) = content { bytes } else { [] } }

    /// Kind, text and flags, as short as they can be compared.
    var summary: String {
        let names: [(Flags, String)] = [
            (.compressed, "compressed"), (.fragmented, "fragmented"), (.cut, "cut"),
            (.invalid, "invalid"), (.unfinished, "unfinished"),
            (.stillCompressed, "stillCompressed"),
        ]
        let shown = names.filter { flags.contains($0.0) }.map(\.1)
        return ([kind.name, String(decoding: kept, as: UTF8.self)] + shown).joined(separator: " ")
    }
}
