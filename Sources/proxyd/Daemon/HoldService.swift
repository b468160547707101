internal import Dispatch
internal import FoundationEssentials
internal import ProxydCivilTime
internal import ProxydControl
internal import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydRuleActing
internal import ProxydRules

/// Carries out control clients' commands about held messages, in order and on its own thread, so
/// that decompressing or editing bodies does not block an event loop.
final class HoldService: Sendable {
    private let holdBroker: HoldBroker
    private let interceptKeeper: InterceptKeeper
    private let queue = DispatchQueue(label: "proxyd.holds")

    init(_ keeper: RulesKeeper) {
        holdBroker = keeper.actor.holdBroker
        interceptKeeper = InterceptKeeper(keeper, on: queue)
    }

    /// What interfaces hold without a rule of the file.
    var intercept: Intercept? { interceptKeeper.current }

    /// Sends events about holds to the clients that subscribed to them.
    func publish(to server: ControlServer) {
        holdBroker.tell { [weak server] news in server?.publish(toHolders: ControlEvent(news)) }
    }

    func clientLeft(_ client: ControlClientID) {
        queue.async {
            self.interceptKeeper.clientLeft(client)
            self.holdBroker.leave(HoldClient(client))
        }
    }

    func perform(
        _ command: HoldCommand, for client: ControlClientID,
        completion: @escaping ControlCompletion<ControlResult>
    ) {
        queue.async {
            do throws(ControlError) {
                completion(.success(try self.answer(command, for: client)))
            } catch {
                completion(.failure(error))
            }
        }
    }

    private func answer(
        _ command: HoldCommand, for controlClient: ControlClientID
    ) throws(ControlError) -> ControlResult {
        let client = HoldClient(controlClient)
        switch command {
        case .intercept(let intercept): try interceptKeeper.set(intercept, by: controlClient)
        case .list(let filter): return .holds(holds: holdBroker.list(try read(filter)).map(\.told))
        case .resumeAll(let filter):
            return .affected(exchangeCount: holdBroker.resumeAll(try read(filter), by: client))
        case .subscribe(let filter): holdBroker.subscribe(client, try read(filter))
        case .read(let hold, let part, let offset):
            let bytes = try told { () throws(HoldRefusal) in
                try holdBroker.read(part, of: HoldID(rawValue: hold))
            }
            return piece(of: bytes, offset)
        case .claim(let hold, let name):
            try told { () throws(HoldRefusal) in
                try holdBroker.claim(HoldID(rawValue: hold), by: client, named: name)
            }
        case .reserve(let hold, let seconds):
            guard ControlLimits.holdSeconds.contains(seconds) else {
                throw ControlError(.badMessage, "a hold is reserved for 1 to 3,600 seconds")
            }
            let status = try told { () throws(HoldRefusal) in
                try holdBroker.reserve(
                    HoldID(rawValue: hold), forNs: Nanoseconds.clamping(seconds: seconds))
            }
            return .holds(holds: [status.told])
        case .write(let hold, let part, let offset, let bytes):
            try told { () throws(HoldRefusal) in
                try holdBroker.write(
                    part, of: HoldID(rawValue: hold), at: offset, [UInt8](bytes), by: client)
            }
        case .resume(let hold, let isEdited, let actions):
            try told { () throws(HoldRefusal) in
                try holdBroker.resume(
                    HoldID(rawValue: hold), isEdited: isEdited, actions: actions, by: client)
            }
        case .answer(let hold):
            try told { () throws(HoldRefusal) in
                try holdBroker.answer(HoldID(rawValue: hold), by: client)
            }
        case .drop(let hold):
            try told { () throws(HoldRefusal) in
                try holdBroker.drop(HoldID(rawValue: hold), by: client)
            }
        }
        return .done
    }

    /// Calls the hold broker and converts a refusal to a control error.
    private func told<Answer>(
        _ ask: () throws(HoldRefusal) -> Answer
    ) throws(ControlError) -> Answer {
        do throws(HoldRefusal) {
            return try ask()
        } catch {
            throw ControlError(error)
        }
    }

    private func piece(of bytes: [UInt8], _ offset: Int) -> ControlResult {
        let start = min(max(0, offset), bytes.count)
        let end = min(bytes.count, start + ControlLimits.holdPieceByteCountMax)
        return .bytes(bytes: Data(bytes[start..<end]), byteCount: bytes.count)
    }

    private func read(_ text: String?) throws(ControlError) -> Filter? {
        guard let text else { return nil }
        do throws(FilterError) {
            return try Filter.parse(text)
        } catch {
            throw ControlError(.badFilter, error.message, column: error.column)
        }
    }
}

extension HoldClient {
    init(_ client: ControlClientID) { self.init(rawValue: client.rawValue) }
}

extension HoldStatus {
    /// The hold in the format for control clients.
    fileprivate var told: HoldSummary {
        let (method, url) = message.request
        return HoldSummary(
            hold: id.rawValue, exchangeID: message.exchange.rawValue,
            phase: message.phase.rawValue, rule: message.rule, method: method, url: url,
            status: message.status, since: since, deadline: deadline,
            bodyByteCount: message.bodyByteCount, claimedBy: claimedBy)
    }
}

extension ControlEvent {
    fileprivate init(_ news: HoldNews) {
        switch news {
        case .held(let facts): self = .held(hold: facts.told)
        case .claimed(let id, let name): self = .holdClaimed(hold: id.rawValue, by: name)
        case .gone(let id, let reason): self = .holdGone(hold: id.rawValue, reason: reason)
        }
    }
}

extension ControlError {
    fileprivate init(_ refusal: HoldRefusal) {
        let kind: Kind =
            switch refusal {
            case .unknown: .notFound
            case .gone: .notHeld
            case .taken: .taken
            case .bodyNotHeld, .badEdit, .notInSequence, .tooLarge, .tooMuch: .badEdit
            }
        self.init(kind, refusal.description)
    }
}
