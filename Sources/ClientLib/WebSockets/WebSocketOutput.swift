internal import ProxydContentCoding
internal import ProxydHTTPWire

/// Writes a client's frames, each masked with a key that no one can guess (RFC 6455 §5.3): the
/// system's generator is a secure one.
struct WebSocketOutput: ~Copyable {
    /// A shorter message is larger compressed than as it is.
    private static let compressedByteCountMin = 32

    private var deflater: MessageDeflater?

    /// Output as was agreed; nil for messages as they are.
    init(_ agreement: PermessageDeflate? = nil) {
        guard let client = agreement?.client else { return }
        // Without memory for compression messages go as they are.
        deflater = try? MessageDeflater(
            windowBits: client.windowBits, keepsContext: client.keepsContext)
    }

    /// A message in one frame.
    mutating func octets(of message: WebSocketRequest.Message) -> [UInt8] {
        let (opcode, octets): (WebSocketOpcode, [UInt8]) =
            switch message {
            case .string(let text): (.text, Array(text.utf8))
            case .data(let octets): (.binary, octets)
            }
        guard octets.count >= WebSocketOutput.compressedByteCountMin, let deflater else {
            return WebSocketOutput.frame(opcode, octets)
        }
        do throws(ContentCodingError) {
            let compressed = try deflater.deflate(octets.span)
            return WebSocketOutput.frame(opcode, compressed, isCompressed: true)
        } catch {
            self.deflater = nil
            return WebSocketOutput.frame(opcode, octets)
        }
    }

    /// A frame that is whole.
    static func frame(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], isCompressed: Bool = false
    ) -> [UInt8] {
        var octets: [UInt8] = []
        WebSocketFrameWriter.write(
            opcode, payload.span, isCompressed: isCompressed,
            maskingKey: .random(in: .min ... .max), into: &octets)
        return octets
    }
}
