/// The rules that the frames of one direction of a WebSocket keep, alone and among each other (RFC
/// 6455 §5, RFC 7692 §6). What it has judged counts as seen, broken rules or not.
public struct WebSocketFrameRules: Sendable {
    private enum State {
        /// No message is open.
        case between
        /// A message has begun; continuations follow.
        case insideMessage
        /// A close frame came.
        case closed
    }

    private let sender: WebSocketSender
    private let agreement: WebSocketAgreement
    private var state = State.between

    /// Rules for the frames of a sender, with the extensions that were agreed upon.
    public init(sender: WebSocketSender, agreement: WebSocketAgreement) {
        self.sender = sender
        self.agreement = agreement
    }

    /// Whether a close frame was seen.
    public var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Whether a message has begun and not ended.
    public var isInsideMessage: Bool { if case .insideMessage = state { true } else { false } }

    /// The first rule that the next frame breaks; nil where it keeps all.
    public mutating func check(_ header: WebSocketFrameHeader) -> WebSocketFault? {
        let found = fault(in: header)
        note(header)
        return found
    }

    private func fault(in header: WebSocketFrameHeader) -> WebSocketFault? {
        if isClosed, !header.opcode.isControl { return .afterClose }
        if sender.mustMask != (header.maskingKey != nil) {
            return sender.mustMask ? .unmasked : .masked
        }
        if header.opcode.isReserved { return .reservedOpcode(header.opcode.rawValue) }
        if header.reservedBits != 0, let fault = reservedBitFault(header) { return fault }
        if header.payloadByteCount > UInt64(Int64.max) { return .lengthTooLarge }
        if header.opcode.isControl {
            if !header.isFinal { return .fragmentedControl }
            if header.payloadByteCount > 125 { return .longControl }
        } else {
            let isContinuation = header.opcode == .continuation
            if isContinuation, !isInsideMessage { return .continuationWithoutStart }
            if !isContinuation, isInsideMessage { return .messageInsideMessage }
        }
        return header.isLengthMinimal ? nil : .lengthNotMinimal
    }

    /// Other extensions may use every bit of every frame.
    private func reservedBitFault(_ header: WebSocketFrameHeader) -> WebSocketFault? {
        if agreement.hasOtherExtensions { return nil }
        guard header.reservedBits == 0x04, agreement.deflate != nil else { return .reservedBits }
        let begins = header.opcode == .text || header.opcode == .binary
        return begins ? nil : .compressedTwice
    }

    private mutating func note(_ header: WebSocketFrameHeader) {
        switch header.opcode {
        case .close: state = .closed
        case .text, .binary: if !isClosed { state = header.isFinal ? .between : .insideMessage }
        case .continuation: if header.isFinal, isInsideMessage { state = .between }
        default: break
        }
    }
}
