public import ProxydHTTPModel

/// One side of a connection of HTTP/2 (RFC 9113), without input and output: it is given the bytes
/// that came and what is to be sent, says what happened, and collects the bytes to be sent.
///
/// ```
/// preface ──▶ open ──beginDrain──▶ draining ──finishDrain──▶ closing
/// any ──error──▶ (failing) ──▶ failed
/// ```
/// Call `receive` until it says `.needsMoreInput`; it gives one thing at a time. After each turn,
/// send what `takeOutput` gives: frames that answer, and as much of bodies as windows, turns and
/// the other side's reading allow. An error is final: what is in `takeOutput` then ends in GOAWAY,
/// and the connection is to be closed behind it.
///
/// Windows are given back for a body that came unless `setReceivingPaused` holds them: a stream
/// whose reader is slow fills its own window and stops no other.
public struct HTTP2Connection: ~Copyable {
    /// Which side this is.
    public enum Role: Sendable {
        /// It takes requests.
        case server
        /// It makes requests.
        case client
    }

    /// What is up to whoever makes one.
    public struct Options: Sendable {
        /// What is announced to the peer.
        public var settings: HTTP2Settings
        /// The window of the whole connection; at least 65,535.
        public var windowByteCount = 1 << 20
        /// What may wait for windows that are held back, over all streams, before the connection's
        /// own window is held back too.
        public var heldByteCountMax = 8 << 20
        /// How many streams a client may have open until the server says a number.
        public var assumedStreamCountMax: UInt32 = 100
        /// Bounds of messages.
        public var limits = WireLimits()
        /// What is kept of frames; nil where nothing is.
        public var frames: FrameLog.Detail?

        /// The usual options of a side.
        public init(_ role: Role) {
            settings = HTTP2Settings()
            settings.allowsPush = role == .server
            settings.concurrentStreamCountMax = role == .server ? 100 : nil
            settings.initialWindowByteCount = 256 << 10
            settings.headerListByteCountMax = UInt32(clamping: limits.headByteCountMax)
        }
    }

    enum Phase {
        /// So many bytes of the client's preface have come.
        case preface(Int)
        case open
        /// An event is told first, then the error.
        case failing(HTTP2Error)
        case failed(HTTP2Error)
    }

    /// The field section that is being read.
    struct OpenBlock {
        var stream: StreamID
        var endsStream: Bool
        var octets: [UInt8]
    }

    /// The DATA frame that is being read.
    struct OpenData {
        /// Nil where it is passed over.
        var stream: HTTP2Stream?
        /// Bytes of the frame's data that have not come.
        var left: Int
        /// Bytes of padding behind them; nil until the byte that tells it has come.
        var padding: Int?
        var endsStream: Bool
        /// Whether it has padding.
        var isPadded: Bool
        /// Whether any data has come.
        var carriesBody = false
    }

    /// The preface of a client (RFC 9113 §3.4).
    public static let clientPreface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Whether bytes are the beginning of such a preface, or begin with one.
    public static func isPrefaceBegun(_ octets: [UInt8]) -> Bool {
        let count = min(octets.count, clientPreface.count)
        return octets.prefix(count) == clientPreface.prefix(count)
    }

    /// Whether what a server says first is its preface: SETTINGS (RFC 9113 §3.4).
    public static func isServerPreface(_ octets: Span<UInt8>) -> Bool {
        guard octets.count >= FrameHeader.byteCount else { return false }
        let header = FrameHeader(octets)
        return header.type == .settings && header.flags == [] && header.stream == 0
            && header.length.isMultiple(of: HTTP2Settings.settingByteCount)
    }

    /// Which side this is.
    public let role: Role
    /// What is up to whoever made it, and what has changed of it since.
    var options: Options
    /// What the peer announces; until it does, what holds where nothing is said.
    public internal(set) var peerSettings = HTTP2Settings()
    /// Whether the peer's settings have come.
    public internal(set) var hasPeerSettings = false
    var phase: Phase
    var reader = FrameReader()
    /// The header of the frame that began last.
    var frame = FrameHeader(length: 0, type: .settings)
    var block: OpenBlock?
    /// Whether the field section that is being read makes its stream depend on itself.
    var isSelfDependent = false
    var data: OpenData?
    /// The log of the frame that began last.
    var frameLog: FrameLog?
    /// Its bytes so far, where its log keeps them.
    var frameOctets: [UInt8] = []
    /// The log of a stream that begins with the field section which is being read.
    var openLog: FrameLog?
    /// Frames that belong to no stream; nil where none are kept.
    let connectionLog: FrameLog?
    /// What the peer has announced, in its order.
    var announcedByPeer: [HTTP2ConnectionFacts.Setting] = []
    /// The time of what is done now; monotonic nanoseconds.
    public var now: Int64
    /// What follows the event that was given last.
    var following: [HTTP2Event] = []
    var decoder: HPACKDecoder
    var sink = EncodingSink()
    var streams = StreamTable()
    var budget = FloodBudget()

    /// The highest number of a stream that the peer began.
    var highestPeerStream: UInt32 = 0
    /// The number of the next stream that we begin.
    var nextOwnStream: UInt32 = 1
    /// The highest number of our streams that the peer takes; nil where it takes all.
    var goAwayLast: UInt32?
    /// The highest number of the peer's streams that we take; nil where we take all.
    var ownGoAwayLast: UInt32?
    var drain = Drain.none

    /// How far our own good-bye is.
    enum Drain {
        case none
        /// GOAWAY was sent without a limit, and a PING behind it.
        case announced
        /// The last stream is told.
        case told
    }

    var sendWindow = 65_535
    var receiveWindow: Int
    var uncreditedByteCount = 0
    /// Bytes that came and are held back from the windows of paused streams.
    var heldByteCount = 0
    /// Streams that have something to send and room in their windows, in their turn.
    var line: [HTTP2Stream] = []
    /// Streams of which little waits again.
    var drained: [StreamID] = []
    var output: [UInt8] = []
    /// SETTINGS of ours that the peer has not acknowledged.
    var unacknowledgedSettingsCount = 1

    /// A side at the beginning of a connection; what opens it is in `takeOutput`.
    public init(_ role: Role, options: Options, now: Int64 = 0) {
        self.role = role
        self.now = now
        connectionLog = options.frames.map {
            FrameLog($0, startedAt: now, countMax: HTTP2Connection.connectionFrameCountMax)
        }
        self.options = options
        phase = role == .server ? .preface(0) : .open
        decoder = HPACKDecoder(
            tableByteCountMax: Int(options.settings.headerTableByteCount))
        receiveWindow = max(options.windowByteCount, 65_535)
        if role == .client { output.append(contentsOf: HTTP2Connection.clientPreface) }
        writeSettings(options.settings.announced)
        if receiveWindow > 65_535 {
            writeWindowUpdate(0, by: receiveWindow &- 65_535, in: connectionLog)
        }
    }

    /// Frames of a connection itself that are kept, the first ones.
    private static let connectionFrameCountMax = 1_000

    // MARK: State

    /// What is known of the connection beside its streams; frames only since this was asked last.
    public mutating func takeFacts() -> HTTP2ConnectionFacts {
        HTTP2ConnectionFacts(
            ourSettings: options.settings.announced.map {
                .init(number: $0.identifier.rawValue, value: $0.value)
            },
            peerSettings: announcedByPeer, frames: connectionLog?.take(isLast: true) ?? [])
    }

    /// The frames of an open stream; nil where none are kept.
    public func frameLog(of id: StreamID) -> FrameLog? { streams.find(id)?.log }

    /// Whether anything of a stream is still to be sent.
    public func isSending(_ id: StreamID) -> Bool {
        streams.find(id).map { $0.sending != .ended } ?? false
    }

    /// The numbers of the streams that are open.
    public var openStreams: [StreamID] { streams.open.map(\.id) }

    /// How many bytes of bodies wait, over all streams; nil where nothing is still to be sent.
    public var unsentByteCount: Int? {
        let unsent = streams.open.filter { $0.sending != .ended }
        return unsent.isEmpty ? nil : unsent.reduce(0) { $0 &+ $1.waitingByteCount }
    }

    /// How many streams are open.
    public var openStreamCount: Int { streams.open.count }

    /// How many more streams may be begun now; until the peer has said a number, of the assumed
    /// one.
    public var room: Int {
        guard role == .client, !isGoingAway, !isFailed, nextOwnStream < 1 << 31 else {
            return 0
        }
        let most =
            peerSettings.concurrentStreamCountMax
            ?? (hasPeerSettings ? .max : options.assumedStreamCountMax)
        return max(0, Int(clamping: most) &- streams.open.count)
    }

    /// Whether nothing more is to be said or heard.
    public var isFailed: Bool {
        if case .failed = phase { true } else { false }
    }

    /// Whether either side has said good-bye: no new stream begins.
    public var isGoingAway: Bool { goAwayLast != nil || drain != .none }

    /// Whether a preface, a frame or a field section has begun and is not complete.
    public var isInsideFrame: Bool {
        if case .preface(let count) = phase, count > 0 { return true }
        return reader.isInsideFrame || block != nil
    }

    // MARK: Extended CONNECT

    /// Whether the peer was told that extended CONNECT is taken here.
    public var offersExtendedConnect: Bool { options.settings.allowsExtendedConnect }

    /// Tells the peer that extended CONNECT is taken from now on (RFC 8441 §3); it cannot be taken
    /// back.
    public mutating func offerExtendedConnect() {
        guard role == .server, !offersExtendedConnect, !isFailed else { return }
        options.settings.allowsExtendedConnect = true
        unacknowledgedSettingsCount &+= 1
        writeSettings([(.allowsExtendedConnect, 1)])
    }

    // MARK: Endings

    /// Says good-bye in good order (RFC 9113 §6.8): streams that the peer begins before it knows
    /// are served.
    public mutating func beginDrain() {
        guard drain == .none, !isFailed else { return }
        guard role == .server else { return finishDrain() }
        drain = .announced
        writeGoAway(last: UInt32(Int32.max), .noError, "")
        writePing(HTTP2Connection.drainPing, isAcknowledgement: false)
    }

    static let drainPing: [UInt8] = Array("draining".utf8)

    /// Tells which of the peer's streams is the last that is served.
    mutating func finishDrain() {
        guard drain != .told, !isFailed else { return }
        drain = .told
        ownGoAwayLast = highestPeerStream
        writeGoAway(last: highestPeerStream, .noError, "")
    }

    /// Ends the connection for a reason of our own; it is to be closed behind what `takeOutput`
    /// gives.
    public mutating func end(_ code: HTTP2ErrorCode, _ message: String) {
        guard !isFailed else { return }
        fail(HTTP2Error(code, message))
    }

    mutating func fail(_ error: HTTP2Error) {
        writeGoAway(last: highestPeerStream, error.code, error.message)
        phase = .failed(error)
        line = []
        block = nil
        data = nil
        following = []
    }
}
