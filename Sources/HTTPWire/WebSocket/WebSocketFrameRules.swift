/// Checks the rules for the frames of one direction of a WebSocket, individually and in sequence
/// (RFC 6455 §5, RFC 7692 §6). A frame that violates a rule still changes the state.
public struct WebSocketFrameRules: Sendable {
    private enum State {
        /// No message is in progress.
        case between
        /// A message has started; continuation frames follow.
        case insideMessage
        /// A close frame was received.
        case closed
    }

    private let sender: WebSocketSender
    private let agreement: WebSocketAgreement
    private var state = State.between

    /// Creates rules for a sender's frames, with the extensions agreed on.
    public init(sender: WebSocketSender, agreement: WebSocketAgreement) {
        self.sender = sender
        self.agreement = agreement
    }

    /// Whether a close frame was received.
    public var isClosed: Bool { if case .closed = state { true } else { false } }

    /// Whether a message has started but not ended.
    public var isInsideMessage: Bool { if case .insideMessage = state { true } else { false } }

    /// Returns the first rule that the next frame violates, or nil if it violates none.
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

    /// Other extensions may use any reserved bit of any frame.
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
