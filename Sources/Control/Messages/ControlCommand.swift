public import FoundationEssentials
public import ProxydCaptureModel
public import ProxydHTTPModel
public import ProxydRules

/// One line from a client: a command, and the number that its replies repeat.
public struct ControlRequest: Sendable, Hashable, Codable {
    /// Chosen by the client and repeated in every reply.
    public var id: Int64
    public var command: ControlCommand

    public init(id: Int64, command: ControlCommand) {
        self.id = id
        self.command = command
    }
}

/// A client's command for the daemon.
public enum ControlCommand: Sendable, Hashable, Codable {
    case status
    /// Commits what has ended, for a client that is about to read the store; answered by `done`
    /// after that, or immediately while nothing can be written.
    case commit
    case serverRules
    case rules
    /// Reloads the rules file; answered by `ControlResult.rules`, whose problems list its mistakes.
    case reloadRules
    /// Changes the rules in memory only, until the daemon ends; answered by `ControlResult.rules`,
    /// or the error `badRules`.
    case changeRules(change: RulesUpdate)
    /// Deletes the exchanges that a filter matches, or all if it is nil; answered by `affected`.
    case clear(filter: String?)
    /// Changes the note, tags or pin of an exchange; answered by `affected`.
    case annotate(change: AnnotationChange)
    /// Notes how far the store was delivered to a central store; answered by `done`.
    case noteDelivery(progress: DeliveryProgress)
    /// Stores a file that describes messages, replacing one of its name; answered by `done`.
    case addProtoFile(file: ProtoFile)
    /// Removes the named file that describes messages; answered by `done`, or the error `notFound`.
    case removeProtoFile(name: String)
    /// Reserves the next numbers for exchanges and connections; answered by `identifiers`.
    case takeIdentifiers(exchangeCount: Int, connectionCount: Int)
    /// Stores connections and updates; answered by `done` when they are committed.
    case importExchanges(connections: [ConnectionRecord], updates: [ExchangeUpdate])
    /// Starts sending `ControlEvent`s; answered by `done`, then by events with the same id.
    case subscribe
    /// A command about held messages.
    case hold(command: HoldCommand)
    /// Switches TLS interception of a host on or off for its next connections; answered by
    /// `interception`.
    case toggleInterception(host: String, port: UInt16)
    /// Refuses requests to an address at which the client listens, until the client's connection
    /// ends; answered by `done`, or `badMessage` for an invalid address.
    case guardAddress(ip: String, port: UInt16)
    /// Stops or resumes recording; answered by `done`.
    case setRecording(isOn: Bool)
}

/// A client's command about held messages. A hold is identified by its number.
public enum HoldCommand: Sendable, Hashable, Codable {
    /// Subscribes to holds: rules hold messages while a subscribed connection is open; with a
    /// filter, only those that it selects. Answered by `done`, then by the events of all holds,
    /// with the same id.
    case subscribe(filter: String?)
    /// Lists the held messages, with a filter only those that it selects; answered by `holds`.
    case list(filter: String?)
    /// Reads a piece of a part, at most `ControlLimits.holdPieceByteCountMax` bytes; answered by
    /// `ControlResult.bytes`.
    case read(hold: Int64, part: HoldPart, offset: Int)
    /// Tells others that `name` handles the hold. Answered by `done`, or the error `taken`.
    case claim(hold: Int64, name: String)
    /// Lets the hold last for some seconds, 1 to 3,600, though not longer than its rule allows,
    /// even if no subscribed connection is open. Answered by `holds` with this one.
    case reserve(hold: Int64, seconds: Int64)
    /// Writes a piece of a replacement; offset 0 starts again. Answered by `done`.
    case write(hold: Int64, part: HoldPart, offset: Int, bytes: Data)
    /// Resumes the message, edited if `isEdited`, otherwise unchanged; then applies actions in the
    /// format of rules: `set header:X-A=1`. Answered by `done`.
    case resume(hold: Int64, isEdited: Bool, actions: [String])
    /// Answers the client with the head and body that were written. Answered by `done`.
    case answer(hold: Int64)
    /// Closes the client's connection without a response. Answered by `done`.
    case drop(hold: Int64)
    /// Resumes all messages that a filter selects, or all if it is nil; answered by `affected`.
    case resumeAll(filter: String?)
    /// Holds what a filter matches from now on, or nothing if it is nil. It ends 10 seconds after
    /// the connections of all clients that sent this have closed. Answered by `done`, or the error
    /// `badRules`.
    case intercept(intercept: Intercept?)

    /// The JSON keys of `write`; `octets` stays for compatibility with other versions.
    private enum WriteCodingKeys: String, CodingKey {
        case hold, part, offset
        case bytes = "octets"
    }
}

/// One line from the daemon: the result of a request, or an event of a subscription.
public struct ControlReply: Sendable, Hashable, Codable {
    /// The number of the request; 0 if the request could not be decoded.
    public var id: Int64
    public var result: ControlResult?
    public var error: ControlError?
    public var event: ControlEvent?

    public init(id: Int64, outcome: Result<ControlResult, ControlError>) {
        self.id = id
        switch outcome {
        case .success(let result): self.result = result
        case .failure(let error): self.error = error
        }
    }

    public init(id: Int64, event: ControlEvent) {
        self.id = id
        self.event = event
    }
}

/// The result of a successful command.
public enum ControlResult: Sendable, Hashable, Codable {
    case done
    case status(report: DaemonStatus)
    case serverRules(rules: ServerRulesStatus)
    case rules(rules: RulesStatus)
    /// How many exchanges a command changed or deleted.
    case affected(exchangeCount: Int)
    /// Whether TLS interception of the host is now on.
    case interception(isOpened: Bool)
    /// The held messages, oldest first.
    case holds(holds: [HoldSummary])
    /// A piece of a part of a held message, and the size of the whole part in bytes.
    case bytes(bytes: Data, byteCount: Int)
    /// The reserved numbers, ascending.
    case identifiers(exchanges: [Int64], connections: [Int64])

    /// The JSON keys; `octets` stays for compatibility with other versions.
    private enum CodingKeys: String, CodingKey {
        case done, status, serverRules, rules, affected, interception, holds, identifiers
        case bytes = "octets"
    }

    private enum BytesCodingKeys: String, CodingKey {
        case bytes = "octets"
        case byteCount
    }
}

/// An event for subscribers. It only notifies: the rows are in the store before the event is sent,
/// and are read from there.
public enum ControlEvent: Sendable, Hashable, Codable {
    /// Rows of these exchanges were inserted or changed.
    case changed(ids: [Int64])
    case removed(exchangeCount: Int)
    case held(hold: HoldSummary)
    /// A client has claimed a hold; `by` is nil if the hold is free again.
    case holdClaimed(hold: Int64, by: String?)
    /// A hold has ended, for the reason that the record states.
    case holdGone(hold: Int64, reason: String)
    /// Recording was stopped or resumed; the text says why it stopped, or is nil while it runs.
    case recording(stoppedBecause: String?)
}

/// Why a command failed: a kind for programs and a readable message.
public struct ControlError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kind of failure; the names are part of the protocol.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// No process listens on the socket.
        case notRunning
        /// Another daemon already listens on the socket.
        case alreadyRunning
        /// The other side's user, or the socket's owner or type, is not acceptable.
        case notPermitted
        case timedOut
        /// The connection ended, or the daemon dropped a subscriber that was too slow.
        case closed
        /// A line is not a message of this protocol, or is too long.
        case badMessage
        /// The filter has a mistake; `column` is its position.
        case badFilter
        /// The rules would contain mistakes; the message has a line for each.
        case badRules
        /// The exchange or file does not exist.
        case notFound
        /// Another client has claimed the hold; the message names it.
        case taken
        /// The message is no longer held; the message says why.
        case notHeld
        /// The edited parts do not form a valid message; the message says why.
        case badEdit
        /// The daemon could not carry out the command; the message says why.
        case failed
        /// A system call failed.
        case system
    }

    public var kind: Kind
    /// One readable line.
    public var message: String
    /// The column of a mistake in a filter, counted from 1 in characters.
    public var column: Int?

    public init(_ kind: Kind, _ message: String, column: Int? = nil) {
        self.kind = kind
        self.message = message
        self.column = column
    }

    public var description: String { message }
}

/// Limits of the control protocol.
public enum ControlLimits {
    /// The longest line, in bytes: a head of 256 KiB and a piece of a body fit in base64.
    public static let lineByteCountMax = 4 << 20
    /// The largest piece of a body in one imported update, in bytes before base64.
    public static let bodyPieceByteCountMax = 512 << 10
    /// For how many seconds a hold may be reserved.
    public static let holdSeconds: ClosedRange<Int64> = 1...3_600
    /// The largest piece of a part of a held message, in bytes before base64.
    public static let holdPieceByteCountMax = 512 << 10
    /// The most bytes that may wait for a client that does not read; more drops the client.
    public static let backlogByteCountMax = 4 << 20
    /// The largest number of connected clients.
    public static let connectionCountMax = 64
    /// The most unfinished requests of one client; beyond that, the daemon stops reading from it.
    public static let pendingRequestCountMax = 64
    /// The most numbers of each kind that one command can reserve.
    public static let identifierCountMax = 1_000
    /// The allowed numbers of imported exchanges and connections: the store continues after the
    /// highest one it has seen, and must not run out of numbers.
    public static let importedNumbers: ClosedRange<Int64> = 1...(1 << 34)
}

/// Encodes and decodes messages: JSON, one message per line, terminated by LF.
enum ControlCoding {
    /// A message as one line with its LF. JSON escapes every LF inside.
    static func line(_ message: some Encodable) throws(ControlError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            var line = [UInt8](try encoder.encode(message))
            line.append(0x0A)
            return line
        } catch let error as ControlError {
            throw error
        } catch {
            throw ControlError(.badMessage, "the message cannot be encoded as JSON")
        }
    }

    /// Decodes a message from a line without its LF.
    static func message<Message: Decodable>(
        _ type: Message.Type, from line: [UInt8]
    ) throws(ControlError) -> Message {
        do {
            return try JSONDecoder().decode(type, from: Data(line))
        } catch let error as ControlError {
            throw error
        } catch {
            throw ControlError(.badMessage, "the line is not a message of the control protocol")
        }
    }
}

/// Splits a stream of bytes into lines of limited length.
struct LineSplitter {
    private var partial: [UInt8] = []
    private let byteCountMax: Int

    init(byteCountMax: Int = ControlLimits.lineByteCountMax) { self.byteCountMax = byteCountMax }

    /// Adds bytes and returns the lines that they complete, without LF.
    mutating func receive(_ bytes: Span<UInt8>) throws(ControlError) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = 0
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x0A {
                try append(bytes.extracting(start..<index))
                lines.append(partial)
                partial = []
                start = index &+ 1
            }
            index &+= 1
        }
        try append(bytes.extracting(start..<bytes.count))
        return lines
    }

    private mutating func append(_ bytes: Span<UInt8>) throws(ControlError) {
        guard partial.count + bytes.count <= byteCountMax else {
            throw ControlError(.badMessage, "a line is longer than \(byteCountMax) bytes")
        }
        bytes.withUnsafeBufferPointer { partial.append(contentsOf: $0) }
    }
}
