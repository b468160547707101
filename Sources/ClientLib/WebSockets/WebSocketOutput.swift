internal import ProxydContentCoding
internal import ProxydHTTPWire

/// Writes a client's frames, each masked with an unpredictable key (RFC 6455 §5.3) from the
/// system's secure random generator.
struct WebSocketOutput: ~Copyable {
    /// Shorter messages would grow by compression.
    private static let compressedByteCountMin = 32

    private var deflater: MessageDeflater?

    /// Creates an output with the negotiated compression, or nil for none.
    init(_ agreement: PermessageDeflate? = nil) {
        guard let client = agreement?.client else { return }
        // If there is not enough memory for compression, messages are sent uncompressed.
        deflater = try? MessageDeflater(
            windowBits: client.windowBits, keepsContext: client.keepsContext)
    }

    /// A message as one frame.
    mutating func bytes(of message: WebSocketRequest.Message) -> [UInt8] {
        let (opcode, bytes): (WebSocketOpcode, [UInt8]) =
            switch message {
            case .string(let text): (.text, Array(text.utf8))
            case .data(let bytes): (.binary, bytes)
            }
        guard bytes.count >= WebSocketOutput.compressedByteCountMin, let deflater else {
            return WebSocketOutput.frame(opcode, bytes)
        }
        do throws(ContentCodingError) {
            let compressed = try deflater.deflate(bytes.span)
            return WebSocketOutput.frame(opcode, compressed, isCompressed: true)
        } catch {
            self.deflater = nil
            return WebSocketOutput.frame(opcode, bytes)
        }
    }

    /// A complete frame.
    static func frame(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], isCompressed: Bool = false
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        WebSocketFrameWriter.write(
            opcode, payload.span, isCompressed: isCompressed,
            maskingKey: .random(in: .min ... .max), into: &bytes)
        return bytes
    }
}
