/// Writes WebSocket frames (RFC 6455 §5.2).
public enum WebSocketFrameWriter {
    /// Appends one frame to `output`.
    /// - Parameters:
    ///   - isFinal: whether it ends its message.
    ///   - isCompressed: sets RSV1, on the first frame of a compressed message (RFC 7692 §6).
    ///   - maskingKey: the masking key of a client, unpredictable and new for each frame (RFC 6455
    ///     §5.3); nil for a server.
    public static func write(
        _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, isFinal: Bool = true,
        isCompressed: Bool = false, maskingKey: UInt32?, into output: inout [UInt8]
    ) {
        let header = WebSocketFrameHeader(
            isFinal: isFinal, reservedBits: isCompressed ? 0x04 : 0, opcode: opcode,
            maskingKey: maskingKey, payloadByteCount: UInt64(truncatingIfNeeded: payload.count))
        output.reserveCapacity(output.count &+ header.byteCount &+ payload.count)
        header.write(into: &output)
        if let maskingKey {
            var mask = WebSocketMask(key: maskingKey)
            mask.append(payload, to: &output)
        } else {
            payload.withUnsafeBufferPointer { output.append(contentsOf: $0) }
        }
    }
}
