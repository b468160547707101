/// Checks the rules for the frames of one direction of a WebSocket, individually and in sequence
/// (RFC 6455 §5, RFC 7692 §6). A frame that violates a rule still changes the state.
public struct WebSocketFrameRules: Sendable {
    private enum State {
        /// No message is in progress.
        case between
        /// A message has started; continuation frames follow.
        case insideMessage
        case closed
    }

    private let sender: WebSocketSender
    private let agreement: WebSocketAgreement
    private var state = State.between

    public init(sender: WebSocketSender, agreement: WebSocketAgreement) {
        self.sender = sender
        self.agreement = agreement
    }

    public var isClosed: Bool { if case .closed = state { true } else { false } }

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

public enum WebSocketSender: Sendable, Hashable {
    /// A client, which masks every frame (RFC 6455 §5.1).
    case client
    /// A server, which masks no frames.
    case server

    public var mustMask: Bool { self == .client }
}

/// The content of a close frame (RFC 6455 §5.5.1): empty, or a code and a reason.
public struct WebSocketClosing: Sendable, Hashable {
    /// The status code; nil if the frame is empty, which applications see as 1005.
    public var code: UInt16?
    public var reason: String

    public init(code: UInt16?, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    /// Parses the payload of a close frame.
    /// - Throws: `.closeOfOneByte`, `.closeCode`, `.invalidUTF8`.
    public init(_ payload: Span<UInt8>) throws(WebSocketFault) {
        code = nil
        reason = ""
        guard payload.count > 0 else { return }
        guard payload.count > 1 else { throw .closeOfOneByte }
        let code = UInt16(payload[0]) &<< 8 | UInt16(payload[1])
        guard WebSocketClosing.mayBeSent(code) else { throw .closeCode(code) }
        let text = payload.extracting(2..<payload.count)
        var validator = UTF8Validator()
        guard validator.receive(text), validator.isComplete else { throw .invalidUTF8 }
        self.code = code
        reason = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// The payload, at most 125 bytes; a longer reason is truncated at a character boundary.
    public var payload: [UInt8] {
        guard let code else { return [] }
        var bytes = [UInt8(truncatingIfNeeded: code &>> 8), UInt8(truncatingIfNeeded: code)]
        for scalar in reason.unicodeScalars {
            let encoded = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            guard bytes.count &+ encoded.count <= 125 else { break }
            bytes.append(contentsOf: encoded)
        }
        return bytes
    }

    /// Whether a code is allowed in a close frame: those of RFC 6455 §7.4.1 and IANA's registry,
    /// and 3000 to 4999, which are for libraries and applications (§7.4.2).
    public static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// A protocol rule that a WebSocket frame or message violates.
public enum WebSocketFault: Error, Sendable, Hashable {
    /// A client's frame is not masked.
    case unmasked
    /// A server's frame is masked.
    case masked
    /// A reserved bit is set to which no extension has given a meaning.
    case reservedBits
    /// RSV1 is set on a frame that does not start a message.
    case compressedTwice
    case reservedOpcode(UInt8)
    /// The length is above 2⁶³−1.
    case lengthTooLarge
    /// The length could be written in fewer bytes.
    case lengthNotMinimal
    /// A control frame has more than 125 bytes.
    case longControl
    case fragmentedControl
    /// A continuation frame was sent without a message to continue.
    case continuationWithoutStart
    /// A message starts before the previous one has ended.
    case messageInsideMessage
    /// A data frame follows a close frame.
    case afterClose
    /// A text, or the reason in a close frame, is not UTF-8.
    case invalidUTF8
    /// A close frame of one byte: no room for a code.
    case closeOfOneByte
    case closeCode(UInt16)
    case undecompressable

    /// The code with which to close the connection because of this fault (RFC 6455 §7.4.1).
    public var closeCode: UInt16 { self == .invalidUTF8 || self == .undecompressable ? 1007 : 1002 }
}

extension WebSocketFault: CustomStringConvertible {
    /// A message for the user that names the section of the RFC.
    public var description: String {
        switch self {
        case .unmasked: "a client's frame without a mask (RFC 6455 §5.1)"
        case .masked: "a server's frame with a mask (RFC 6455 §5.1)"
        case .reservedBits: "a reserved bit that nothing agreed upon uses (RFC 6455 §5.2)"
        case .compressedTwice: "marked as compressed where no message begins (RFC 7692 §6.1)"
        case .reservedOpcode(let opcode): "opcode \(opcode) is not defined (RFC 6455 §5.2)"
        case .lengthTooLarge: "a length above 2^63-1 (RFC 6455 §5.2)"
        case .lengthNotMinimal: "a length in more bytes than it needs (RFC 6455 §5.2)"
        case .longControl: "a control frame of more than 125 bytes (RFC 6455 §5.5)"
        case .fragmentedControl: "a fragmented control frame (RFC 6455 §5.5)"
        case .continuationWithoutStart: "a continuation of no message (RFC 6455 §5.4)"
        case .messageInsideMessage: "begins before the previous message has ended (RFC 6455 §5.4)"
        case .afterClose: "data after a close frame (RFC 6455 §5.5.1)"
        case .invalidUTF8: "not UTF-8 (RFC 6455 §8.1)"
        case .closeOfOneByte: "a close frame of one byte (RFC 6455 §5.5.1)"
        case .closeCode(let code): "close code \(code) may not be sent (RFC 6455 §7.4)"
        case .undecompressable: "cannot be decompressed (RFC 7692 §7.2.2)"
        }
    }
}

/// Checks whether bytes received in several pieces are valid UTF-8 (RFC 3629), in constant memory.
public struct UTF8Validator: Sendable {
    /// The number of bytes missing from the current character.
    private var missingCount: UInt8 = 0
    /// The lowest value allowed for the next of these bytes.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF
    /// Whether all bytes so far are valid.
    public private(set) var isValid = true

    public init() {}

    /// Whether the bytes so far are valid and do not end within a character.
    public var isComplete: Bool { isValid && missingCount == 0 }

    /// Checks the next bytes; returns `isValid`.
    @discardableResult
    public mutating func receive(_ bytes: Span<UInt8>) -> Bool {
        guard isValid else { return false }
        bytes.withUnsafeBytes { bytes in
            var index = 0
            let count = bytes.count
            while index < count {
                if missingCount == 0 { index = UTF8Validator.endOfASCII(bytes, from: index) }
                guard index < count else { return }
                guard take(bytes[index]) else {
                    isValid = false
                    return
                }
                index &+= 1
            }
        }
        return isValid
    }

    /// Returns the index of the first non-ASCII byte from `start` on; examines 32 bytes at a time.
    private static func endOfASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let tops: UInt64 = 0x8080_8080_8080_8080
        let word = { bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self) }
        var index = start
        while index &+ 32 <= bytes.count {
            let all = word(index) | word(index &+ 8) | word(index &+ 16) | word(index &+ 24)
            if all & tops != 0 { break }
            index &+= 32
        }
        while index < bytes.count, bytes[index] < 0x80 { index &+= 1 }
        return index
    }

    /// Checks one byte that may not be ASCII. The limits for the second byte exclude overlong
    /// forms, surrogates and values above U+10FFFF (RFC 3629 §4).
    private mutating func take(_ byte: UInt8) -> Bool {
        if missingCount > 0 {
            guard byte >= lowest, byte <= highest else { return false }
            missingCount &-= 1
            (lowest, highest) = (0x80, 0xBF)
            return true
        }
        switch byte {
        case ..<0x80: return true
        case 0xC2...0xDF: missingCount = 1
        case 0xE0: (missingCount, lowest) = (2, 0xA0)
        case 0xED: (missingCount, highest) = (2, 0x9F)
        case 0xE1...0xEF: missingCount = 2
        case 0xF0: (missingCount, lowest) = (3, 0x90)
        case 0xF1...0xF3: missingCount = 3
        case 0xF4: (missingCount, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }
}
