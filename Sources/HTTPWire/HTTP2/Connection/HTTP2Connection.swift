public import ProxydHTTPModel

/// One side of an HTTP/2 connection (RFC 9113) without any I/O. It is given the received bytes and
/// the messages to send, reports events, and collects the bytes to send.
///
/// ```
/// preface ──▶ open ──beginDrain──▶ draining ──finishDrain──▶ closing
/// any ──error──▶ (failing) ──▶ failed
/// ```
/// Call `receive` until it returns `.needsMoreInput`; each call returns one event. Then send what
/// `takeOutput` returns: frames in response, and as much of the bodies as the windows, the turns of
/// the streams and the reader on the other side allow. An error is final: the output then ends with
/// GOAWAY, and the connection must be closed after it has been sent.
///
/// Windows are enlarged as body data is received, unless `setReceivingPaused` prevents it: a stream
/// with a slow reader fills only its own window and does not block other streams.
public struct HTTP2Connection: ~Copyable {
    public enum Role: Sendable {
        /// Receives requests.
        case server
        /// Sends requests.
        case client
    }

    public struct Options: Sendable {
        public var settings: HTTP2Settings
        /// The window of the whole connection; at least 65,535 bytes.
        public var windowByteCount = 1 << 20
        /// The maximum number of bytes received on paused streams, over all streams, before the
        /// connection's own window is no longer enlarged for them.
        public var pausedByteCountMax = 8 << 20
        /// The number of streams that a client may open before the server has announced its limit.
        public var assumedStreamCountMax: UInt32 = 100
        public var limits = WireLimits()
        /// How much is logged of frames; nil if they are not logged.
        public var frames: FrameLog.Detail?
        /// Whether the settings are written when output is first taken, so that they may change
        /// until then, instead of immediately.
        public var isAnnouncedLate = false

        public init(_ role: Role) {
            settings = HTTP2Settings()
            settings.allowsPush = role == .server
            settings.concurrentStreamCountMax = role == .server ? 100 : nil
            settings.initialWindowByteCount = 256 << 10
            settings.headerListByteCountMax = UInt32(clamping: limits.headByteCountMax)
        }
    }

    enum Phase {
        /// This many bytes of the client's preface have been received.
        case preface(Int)
        case open
        /// An event is returned first, then the error.
        case failing(HTTP2Error)
        case failed(HTTP2Error)
    }

    /// A field section that has not been received completely.
    struct OpenBlock {
        var stream: StreamID
        var endsStream: Bool
        var bytes: [UInt8]
    }

    struct OpenData {
        /// Nil if the frame is ignored.
        var stream: HTTP2Stream?
        /// The number of bytes of the frame's payload that have not been received yet.
        var left: Int
        /// The number of padding bytes at the end; nil until the padding length has been received.
        var padding: Int?
        var endsStream: Bool
        var isPadded: Bool
        /// Whether the frame has contained any data so far.
        var carriesBody = false
    }

    /// The client connection preface (RFC 9113 §3.4).
    public static let clientPreface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Whether the bytes are the start of a client preface, or start with one.
    public static func isPrefaceBegun(_ bytes: [UInt8]) -> Bool {
        let count = min(bytes.count, clientPreface.count)
        return bytes.prefix(count) == clientPreface.prefix(count)
    }

    /// Whether the first bytes from a server are its preface, a SETTINGS frame (RFC 9113 §3.4).
    public static func isServerPreface(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= FrameHeader.byteCount else { return false }
        let header = FrameHeader(bytes)
        return header.type == .settings && header.flags == [] && header.stream == 0
            && header.length.isMultiple(of: HTTP2Settings.settingByteCount)
    }

    public let role: Role
    /// The options passed at creation, with later changes to the settings.
    var options: Options
    /// The peer's settings; the protocol's defaults until it has announced them.
    public internal(set) var peerSettings = HTTP2Settings()
    public internal(set) var hasPeerSettings = false
    var phase: Phase
    var reader = FrameReader()
    /// The header of the frame being received, or of the last one.
    var frame = FrameHeader(length: 0, type: .settings)
    var block: OpenBlock?
    /// Whether the field section being received makes its stream depend on itself.
    var isSelfDependent = false
    var data: OpenData?
    var frameLog: FrameLog?
    /// The frame's bytes so far, if its log keeps them.
    var frameBytes: [UInt8] = []
    /// The log of the stream that starts with the field section being received.
    var openLog: FrameLog?
    /// The log of frames that belong to no stream; nil if frames are not logged.
    let connectionLog: FrameLog?
    /// The settings that the peer has announced, in order.
    var announcedByPeer: [HTTP2ConnectionFacts.Setting] = []
    /// The current time in monotonic nanoseconds.
    public var now: Int64
    /// The events that follow the one returned last.
    var following: [HTTP2Event] = []
    var decoder: HPACKDecoder
    var sink = EncodingSink()
    var streams = StreamTable()
    var budget = FloodBudget()

    /// The highest stream number that the peer has used.
    var highestPeerStream: UInt32 = 0
    /// The number of the next stream that this side opens.
    var nextOwnStream: UInt32 = 1
    /// The highest of our stream numbers that the peer processes; nil if there is no limit.
    var goAwayLast: UInt32?
    /// The highest of the peer's stream numbers that this side processes; nil if there is no limit.
    var ownGoAwayLast: UInt32?
    var drain = Drain.none

    /// The progress of our graceful shutdown.
    enum Drain {
        case none
        /// A GOAWAY without a limit has been sent, followed by a PING.
        case announced
        /// The last stream has been announced.
        case told
    }

    var sendWindow = 65_535
    var receiveWindow: Int
    var uncreditedByteCount = 0
    /// The number of bytes received on paused streams.
    var pausedByteCount = 0
    /// The streams that have something to send and room in their windows, in the order of their
    /// turns.
    var sendQueue: [HTTP2Stream] = []
    /// The streams that have stopped being congested since `takeDrained` was last called.
    var drained: [StreamID] = []
    var output: [UInt8] = []
    /// Whether the preface has been written.
    var isAnnounced = false
    /// The number of our SETTINGS frames that the peer has not acknowledged.
    var unacknowledgedSettingsCount = 1

    /// Creates one side of a new connection; the preface to send is in `takeOutput`.
    public init(_ role: Role, options: Options, now: Int64 = 0) {
        self.role = role
        self.now = now
        connectionLog = options.frames.map {
            FrameLog($0, startedAt: now, countMax: HTTP2Connection.connectionFrameCountMax)
        }
        self.options = options
        phase = role == .server ? .preface(0) : .open
        decoder = HPACKDecoder(tableByteCountMax: Int(options.settings.headerTableByteCount))
        receiveWindow = max(options.windowByteCount, 65_535)
        if !options.isAnnouncedLate { announce() }
    }

    /// Writes the preface (RFC 9113 §3.4) before anything that waits to be sent.
    mutating func announce() {
        isAnnounced = true
        let waiting = output
        output = role == .client ? HTTP2Connection.clientPreface : []
        writeSettings(options.settings.announced)
        let window = max(options.windowByteCount, 65_535)
        if window > 65_535 { writeWindowUpdate(0, by: window &- 65_535, in: connectionLog) }
        output += waiting
    }

    /// The maximum number of frames of the connection itself that are logged; later ones are not.
    private static let connectionFrameCountMax = 1_000

    // MARK: State

    /// Returns what is known about the connection apart from its streams. Frames are only those
    /// since the last call.
    public mutating func takeFacts() -> HTTP2ConnectionFacts {
        HTTP2ConnectionFacts(
            ourSettings: options.settings.announced.map {
                .init(number: $0.identifier.rawValue, value: $0.value)
            },
            peerSettings: announcedByPeer, frames: connectionLog?.take(isLast: true) ?? [])
    }

    public func frameLog(of id: StreamID) -> FrameLog? { streams.find(id)?.log }

    /// Whether our direction of a stream has not ended.
    public func isSending(_ id: StreamID) -> Bool {
        streams.find(id).map { $0.sending != .ended } ?? false
    }

    /// The number of body bytes waiting over all streams, or nil if nothing remains to be sent.
    public var unsentByteCount: Int? {
        let unsent = streams.open.filter { $0.sending != .ended }
        return unsent.isEmpty ? nil : unsent.reduce(0) { $0 &+ $1.waitingByteCount }
    }

    public var openStreamCount: Int { streams.open.count }

    /// The number of streams that can be opened now. Until the peer has announced its limit, the
    /// assumed limit applies.
    public var room: Int {
        guard role == .client, !isGoingAway, !isFailed, nextOwnStream < 1 << 31 else { return 0 }
        let most =
            peerSettings.concurrentStreamCountMax
            ?? (hasPeerSettings ? .max : options.assumedStreamCountMax)
        return max(0, Int(clamping: most) &- streams.open.count)
    }

    /// Whether the connection has failed or was ended, so that nothing more is sent or received.
    public var isFailed: Bool {
        if case .failed = phase { true } else { false }
    }

    /// Whether either side has announced its shutdown, so that no new streams are opened.
    public var isGoingAway: Bool { goAwayLast != nil || drain != .none }

    /// Whether a preface, frame or field section has been received in part.
    public var isInsideFrame: Bool {
        if case .preface(let count) = phase, count > 0 { return true }
        return reader.isInsideFrame || block != nil
    }

    // MARK: Extended CONNECT

    /// Whether this side has announced to the peer that it accepts extended CONNECT.
    public var offersExtendedConnect: Bool { options.settings.allowsExtendedConnect }

    /// Announces to the peer that extended CONNECT is accepted from now on (RFC 8441 §3). This
    /// cannot be revoked.
    public mutating func offerExtendedConnect() {
        guard role == .server, !offersExtendedConnect, !isFailed else { return }
        options.settings.allowsExtendedConnect = true
        guard isAnnounced else { return }
        unacknowledgedSettingsCount &+= 1
        writeSettings([(.allowsExtendedConnect, 1)])
    }

    // MARK: Shutdown

    /// Starts a graceful shutdown (RFC 9113 §6.8): streams that the peer opens before it knows are
    /// still served.
    public mutating func beginDrain() {
        guard drain == .none, !isFailed else { return }
        guard role == .server else { return finishDrain() }
        drain = .announced
        writeGoAway(last: UInt32(Int32.max), .noError, "")
        writePing(HTTP2Connection.drainPing, isAcknowledgement: false)
    }

    static let drainPing: [UInt8] = Array("draining".utf8)

    /// Announces the last of the peer's streams that will be served.
    mutating func finishDrain() {
        guard drain != .told, !isFailed else { return }
        drain = .told
        ownGoAwayLast = highestPeerStream
        writeGoAway(last: highestPeerStream, .noError, "")
    }

    /// Ends the connection with an error code of our own. It must be closed after the bytes in
    /// `takeOutput` have been sent.
    public mutating func end(_ code: HTTP2ErrorCode, _ message: String) {
        guard !isFailed else { return }
        fail(HTTP2Error(code, message))
    }

    mutating func fail(_ error: HTTP2Error) {
        writeGoAway(last: highestPeerStream, error.code, error.message)
        phase = .failed(error)
        sendQueue = []
        block = nil
        data = nil
        following = []
    }
}

public enum HTTP2Event: Sendable {
    /// All input was consumed.
    case needsMoreInput
    /// A request started: its head, and how its body ends. `.chunked` is a body whose length is
    /// unknown until it ends.
    case request(StreamID, RequestHead, BodyLength)
    /// An interim response was received (RFC 9110 §15.2).
    case informational(StreamID, ResponseHead)
    /// The final response started.
    case response(StreamID, ResponseHead, BodyLength)
    /// Body bytes: a range of the input, never empty.
    case body(StreamID, Range<Int>)
    /// Trailer fields, never empty.
    case trailers(StreamID, HeaderFields)
    case end(StreamID)
    /// The peer's message is malformed (RFC 9113 §8.1.1). A request is waiting for its response;
    /// the stream of a response was reset.
    case malformed(StreamID, MalformedMessage)
    /// The head of a request could not be read, which ends the connection: the error comes next.
    /// The message contains what was received of the head.
    case lostHead(StreamID, MalformedMessage)
    /// The stream was reset, by the peer or by us because the peer violated the protocol.
    case reset(StreamID, HTTP2ErrorCode, isOurs: Bool)
    /// The peer says that it has not processed the request, so it may be sent again elsewhere.
    case unprocessed(StreamID, HTTP2ErrorCode)
    /// The peer processes no streams with higher numbers than `last` (RFC 9113 §6.8).
    case goAway(last: UInt32, HTTP2ErrorCode, debug: [UInt8])
    case settings(HTTP2Settings)
    /// A client set the priority of a response: the value of a Priority field (RFC 9218 §7.1).
    case priorityUpdate(StreamID, [UInt8])
}

/// Why an HTTP/2 connection cannot continue (RFC 9113 §5.4.1). It never contains received bytes.
public struct HTTP2Error: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error code sent to the peer in GOAWAY.
    public let code: HTTP2ErrorCode
    /// A one-line message for the user.
    public let message: String

    init(_ code: HTTP2ErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code): \(message)" }
}
