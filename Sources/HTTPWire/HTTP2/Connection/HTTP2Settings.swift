internal import ProxydHTTPModel

/// The settings that one side of a connection announces (RFC 9113 §6.5.2).
public struct HTTP2Settings: Sendable, Hashable {
    enum Identifier: UInt16 {
        case headerTableByteCount = 1
        case allowsPush = 2
        case concurrentStreamCountMax = 3
        case initialWindowByteCount = 4
        case frameByteCountMax = 5
        case headerListByteCountMax = 6
        /// RFC 8441 §3.
        case allowsExtendedConnect = 8
        /// RFC 9218 §2.1.
        case ignoresOldPriorities = 9
    }

    /// The size of a setting in a frame: identifier and value.
    static let settingByteCount = 6

    /// The size of the HPACK table used for decoding; 4,096 by default.
    public var headerTableByteCount: UInt32 = 4_096
    public var allowsPush = true
    /// The maximum number of streams that the other side may have open; nil means no limit.
    public var concurrentStreamCountMax: UInt32?
    /// The initial window of a new stream, in bytes.
    public var initialWindowByteCount: UInt32 = 65_535
    /// The maximum payload size of a frame, 16,384…16,777,215 bytes.
    public var frameByteCountMax: UInt32 = 16_384
    /// The maximum size of a field section as defined in RFC 9113 §6.5.2; nil if not announced.
    public var headerListByteCountMax: UInt32?
    /// Whether extended CONNECT is accepted (RFC 8441 §3); this may not be revoked.
    public var allowsExtendedConnect = false
    /// Whether the priorities of RFC 7540 are ignored.
    public var ignoresOldPriorities = false

    public init() {}

    /// The maximum window size in bytes.
    static let windowByteCountMax = Int(Int32.max)

    /// Applies one setting of a SETTINGS frame; unknown settings are ignored.
    mutating func set(_ number: UInt16, to value: UInt32) throws(HTTP2Error) {
        guard let identifier = Identifier(rawValue: number) else { return }
        switch identifier {
        case .headerTableByteCount: headerTableByteCount = value
        case .allowsPush: allowsPush = try HTTP2Settings.flag(value)
        case .concurrentStreamCountMax: concurrentStreamCountMax = value
        case .initialWindowByteCount:
            guard value <= UInt32(Int32.max) else {
                throw HTTP2Error(.flowControlError, "SETTINGS_INITIAL_WINDOW_SIZE is over 2³¹−1")
            }
            initialWindowByteCount = value
        case .frameByteCountMax:
            guard (16_384...16_777_215).contains(value) else {
                throw HTTP2Error(.protocolError, "SETTINGS_MAX_FRAME_SIZE is not allowed")
            }
            frameByteCountMax = value
        case .headerListByteCountMax: headerListByteCountMax = value
        case .allowsExtendedConnect:
            let isAllowed = try HTTP2Settings.flag(value)
            guard isAllowed || !allowsExtendedConnect else {
                throw HTTP2Error(
                    .protocolError, "SETTINGS_ENABLE_CONNECT_PROTOCOL went from 1 back to 0")
            }
            allowsExtendedConnect = isAllowed
        case .ignoresOldPriorities: ignoresOldPriorities = try HTTP2Settings.flag(value)
        }
    }

    private static func flag(_ value: UInt32) throws(HTTP2Error) -> Bool {
        guard value <= 1 else {
            throw HTTP2Error(.protocolError, "a setting that must be 0 or 1 has another value")
        }
        return value == 1
    }

    /// The settings that differ from the defaults.
    var announced: [(identifier: Identifier, value: UInt32)] {
        let usual = HTTP2Settings()
        var all: [(identifier: Identifier, value: UInt32)] = []
        func add(_ identifier: Identifier, _ value: UInt32?, unless usual: UInt32?) {
            if let value, value != usual { all.append((identifier, value)) }
        }
        add(.headerTableByteCount, headerTableByteCount, unless: usual.headerTableByteCount)
        add(.allowsPush, allowsPush ? 1 : 0, unless: 1)
        add(.concurrentStreamCountMax, concurrentStreamCountMax, unless: nil)
        add(.initialWindowByteCount, initialWindowByteCount, unless: usual.initialWindowByteCount)
        add(.frameByteCountMax, frameByteCountMax, unless: usual.frameByteCountMax)
        add(.headerListByteCountMax, headerListByteCountMax, unless: nil)
        add(.allowsExtendedConnect, allowsExtendedConnect ? 1 : 0, unless: 0)
        add(.ignoresOldPriorities, ignoresOldPriorities ? 1 : 0, unless: 0)
        return all
    }
}
