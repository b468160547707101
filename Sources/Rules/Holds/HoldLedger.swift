public import ProxydFilter
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// The held messages and the clients that decide about them; without I/O or clock.
///
/// ```
/// hold ─▶ held ──resume, answer, drop──▶ ended
///          │ ▲                             ▲
///          ▼ │ its claimer leaves          │ time passes, client leaves,
///        claimed ──────────────────────────┘ rule goes, proxy stops
/// ```
/// The effects of calls are collected in `takeEffects`.
public struct HoldLedger: Sendable {
    public struct Limits: Sendable {
        public var countMax = 100
        /// The maximum size of their bodies together, and of all written edits together, in bytes.
        public var byteCountMax = 64 << 20
        /// How long holds continue after the last interface disconnected, in nanoseconds.
        public var graceNs: Int64 = 10_000_000_000

        public init() {}
    }

    /// Actions for the caller after a call.
    public struct Effects: Sendable {
        public fileprivate(set) var ended: [(id: HoldID, end: HoldEnd)] = []
        public fileprivate(set) var news: [HoldNews] = []
        /// After how many nanoseconds `expire` has to be called; nil if no hold ends earlier than
        /// was known before.
        public fileprivate(set) var expiresAfterNs: Int64?
    }

    private struct Entry {
        let message: HeldMessage
        let since: Int64
        let deadline: Int64
        /// Until when it lasts even without an interface.
        var reservedUntil = Int64.min
        var claim: (client: HoldClient, name: String)?
        var written: [HoldClient: WrittenEdit] = [:]
    }

    private static let endedCountMax = 1_000
    /// The maximum length of a client's name in characters; longer names are cut.
    private static let nameLengthMax = 100

    private let limits: Limits
    private var entries: [HoldID: Entry] = [:]
    private var byteCount = 0
    private var lastID = HoldID(rawValue: 0)
    /// The interfaces that handle holds, each with a filter; nil for all messages.
    private var takers: [HoldClient: Filter?] = [:]
    private var isStopping = false
    /// The rules that are in force; nil until they are known. An exchange keeps those of its start.
    private var rules: RuleSet?
    /// When holds without an interface end; nil while an interface is connected.
    private var leftAloneUntil: Int64?
    /// Why the most recent holds have ended.
    private var ended: [(id: HoldID, reason: String)] = []
    private var effects = Effects()

    public init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Returns the effects of all calls since the last call of this method.
    public mutating func takeEffects() -> Effects {
        defer { effects = Effects() }
        return effects
    }

    // MARK: Interfaces

    /// Whether any message can be held.
    public var isTaking: Bool { !takers.isEmpty && !isStopping }

    /// Registers an interface for holds; with a filter, for messages that it certainly selects.
    public mutating func subscribe(_ client: HoldClient, _ filter: Filter? = nil) {
        takers.updateValue(filter, forKey: client)
        leftAloneUntil = nil
    }

    /// A connection has closed, of an interface or of a client that only decides. Its claims are
    /// released, and its written edits dropped.
    public mutating func leave(_ client: HoldClient, now: Int64) {
        for id in entries.keys.sorted() {
            entries[id]?.written[client] = nil
            guard entries[id]?.claim?.client == client else { continue }
            entries[id]?.claim = nil
            effects.news.append(.claimed(id, by: nil))
        }
        guard takers.removeValue(forKey: client) != nil, takers.isEmpty, !entries.isEmpty else {
            return
        }
        leftAloneUntil = now &+ limits.graceNs
        effects.expiresAfterNs = limits.graceNs
    }

    // MARK: Holding

    /// - Parameters:
    ///   - now: The monotonic clock, in nanoseconds.
    ///   - wallNow: The wall clock, in nanoseconds since 1970.
    public mutating func hold(
        _ message: HeldMessage, now: Int64, wallNow: Int64
    ) throws(NotHeld) -> HoldID {
        let isTaken = takers.values.contains { filter in filter.map(message.matches) ?? true }
        guard isTaking, isTaken else { throw .noOneToAsk }
        guard rules?.holds(message.phase, by: message.rule) ?? true else { throw .ruleGone }
        guard entries.count < limits.countMax else { throw .tooMany }
        let added = message.bodyByteCount ?? 0
        guard byteCount + added <= limits.byteCountMax else { throw .tooMuch }
        lastID = HoldID(rawValue: lastID.rawValue + 1)
        let deadline = now &+ message.hold.timeoutNs
        let entry = Entry(message: message, since: wallNow, deadline: deadline)
        entries[lastID] = entry
        byteCount += added
        effects.news.append(.held(facts(of: lastID, entry, now: now, wallNow: wallNow)))
        return lastID
    }

    public mutating func clientGone(_ id: HoldID) {
        end(id, .clientGone, .decision)
    }

    public mutating func expire(now: Int64) {
        let isLeftAlone = leftAloneUntil.map { now >= $0 } ?? false
        for (id, entry) in entries.sorted(by: { $0.key < $1.key })
        where (isLeftAlone && now >= entry.reservedUntil) || now >= entry.deadline {
            let fate: HoldEnd.Fate = entry.message.hold.otherwise == .drop ? .dropped : .unchanged
            end(id, fate, now >= entry.deadline ? .timeout : .noOneLeft)
        }
    }

    /// The rules have changed: messages held by rules that no longer hold them go on unchanged.
    public mutating func keepOnly(heldBy rules: RuleSet) {
        self.rules = rules
        for (id, entry) in entries.sorted(by: { $0.key < $1.key })
        where !rules.holds(entry.message.phase, by: entry.message.rule) {
            end(id, .unchanged, .ruleGone)
        }
    }

    /// The proxy is stopping: held messages go on unchanged, and no more are held.
    public mutating func stop() {
        isStopping = true
        for id in entries.keys.sorted() { end(id, .unchanged, .shutdown) }
    }

    private mutating func end(_ id: HoldID, _ fate: HoldEnd.Fate, _ cause: HoldEnd.Cause) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        byteCount -= entry.message.bodyByteCount ?? 0
        let end = HoldEnd(fate: fate, cause: cause)
        if ended.count == HoldLedger.endedCountMax { ended.removeFirst() }
        ended.append((id, end.reasonToRefuse))
        effects.ended.append((id, end))
        effects.news.append(.gone(id, reason: end.detail))
    }

    // MARK: Reading

    /// Lists the held messages, oldest first.
    /// - Parameter filter: Lists only messages that it certainly selects; nil for all.
    public func list(_ filter: Filter? = nil, now: Int64, wallNow: Int64) -> [HoldStatus] {
        entries.sorted { $0.key < $1.key }
            .filter { filter.map($0.value.message.matches) ?? true }
            .map { facts(of: $0.key, $0.value, now: now, wallNow: wallNow) }
    }

    private func facts(of id: HoldID, _ entry: Entry, now: Int64, wallNow: Int64) -> HoldStatus {
        let end = leftAloneUntil.map { max($0, entry.reservedUntil) } ?? .max
        return status(
            of: id, entry, wallNow: wallNow, remainingNs: min(entry.deadline, end) &- now)
    }

    private func status(
        of id: HoldID, _ entry: Entry, wallNow: Int64, remainingNs: Int64
    ) -> HoldStatus {
        HoldStatus(
            id: id, message: entry.message, since: entry.since, deadline: wallNow &+ remainingNs,
            claimedBy: entry.claim?.name)
    }

    private func entry(_ id: HoldID) throws(HoldRefusal) -> Entry {
        if let entry = entries[id] { return entry }
        guard let reason = ended.last(where: { $0.id == id })?.reason else { throw .unknown }
        throw .gone(reason)
    }

    public func message(_ id: HoldID) throws(HoldRefusal) -> HeldMessage {
        try entry(id).message
    }

    // MARK: Deciding

    /// Claims a hold, so that others can see who edits it.
    public mutating func claim(
        _ id: HoldID, by client: HoldClient, named name: String
    ) throws(HoldRefusal) {
        try checkFree(id, for: client)
        guard entries[id]?.claim == nil else { return }
        let name = String(name.prefix(HoldLedger.nameLengthMax))
        entries[id]?.claim = (client, name)
        effects.news.append(.claimed(id, by: name))
    }

    /// Lets a hold last for this time, though not longer than its rule allows, even if no interface
    /// is connected then. Anyone may decide about it meanwhile. Returns it with this deadline.
    public mutating func reserve(
        _ id: HoldID, forNs duration: Int64, now: Int64, wallNow: Int64
    ) throws(HoldRefusal) -> HoldStatus {
        var entry = try entry(id)
        entry.reservedUntil = max(entry.reservedUntil, min(entry.deadline, now &+ duration))
        entries[id] = entry
        let remainingNs = entry.reservedUntil &- now
        effects.expiresAfterNs = remainingNs
        return status(of: id, entry, wallNow: wallNow, remainingNs: remainingNs)
    }

    private func checkFree(_ id: HoldID, for client: HoldClient) throws(HoldRefusal) {
        if let claim = try entry(id).claim, claim.client != client { throw .taken(by: claim.name) }
    }

    /// Takes a piece of an edited part.
    /// - Parameter offset: The number of bytes written before.
    public mutating func write(
        _ part: HoldPart, of id: HoldID, at offset: Int, _ bytes: [UInt8], by client: HoldClient
    ) throws(HoldRefusal) {
        try checkFree(id, for: client)
        guard writtenByteCount + bytes.count <= limits.byteCountMax else { throw .tooMuch }
        var written = entries[id]?.written[client] ?? WrittenEdit()
        try written.write(part, at: offset, bytes)
        entries[id]?.written[client] = written
    }

    /// The size of all written edits of current holds, in bytes.
    private var writtenByteCount: Int {
        entries.values.reduce(0) { sum, entry in
            entry.written.values.reduce(sum) { $0 + $1.byteCount }
        }
    }

    /// Drops the edit that a client has written for a hold.
    public mutating func discard(_ id: HoldID, by client: HoldClient) {
        entries[id]?.written[client] = nil
    }

    public func draft(_ id: HoldID, by client: HoldClient) throws(HoldRefusal) -> HoldDraft {
        try checkFree(id, for: client)
        let entry = try entry(id)
        return HoldDraft(message: entry.message, written: entry.written[client] ?? WrittenEdit())
    }

    /// Lets a message go on: changed, or, with nil, unchanged.
    public mutating func resume(
        _ id: HoldID, as content: HeldMessage.Content? = nil, by client: HoldClient
    ) throws(HoldRefusal) {
        try checkFree(id, for: client)
        end(id, content.map(HoldEnd.Fate.changed) ?? .unchanged, .decision)
    }

    public mutating func answer(
        _ id: HoldID, with answer: RuleAnswer, by client: HoldClient
    ) throws(HoldRefusal) {
        try checkFree(id, for: client)
        end(id, .answered(answer), .decision)
    }

    /// Ends the client's connection without an answer.
    public mutating func drop(_ id: HoldID, by client: HoldClient) throws(HoldRefusal) {
        try checkFree(id, for: client)
        end(id, .dropped, .decision)
    }

    /// Lets all messages go on unchanged that a filter certainly selects and no other client has
    /// claimed; returns their number.
    public mutating func resumeAll(_ filter: Filter?, by client: HoldClient) -> Int {
        let ids = entries.filter { _, entry in
            (entry.claim.map { $0.client == client } ?? true)
                && (filter.map(entry.message.matches) ?? true)
        }.keys.sorted()
        for id in ids { end(id, .unchanged, .decision) }
        return ids.count
    }
}

extension RuleSet {
    fileprivate func holds(_ phase: RulePhase, by name: String) -> Bool {
        rules.contains { rule in
            rule.name == name && rule.isEnabled
                && rule.actions(in: phase).contains { action in
                    if case .hold = action.verb { true } else { false }
                }
        }
    }
}

/// The number of a hold: ascending from 1, never reused while the daemon runs.
public struct HoldID: Sendable, Hashable, Comparable {
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The connection of a client that lists holds or decides about them.
public struct HoldClient: Sendable, Hashable {
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }
}

public enum HoldPart: String, Sendable, Hashable, Codable, CaseIterable {
    /// The head, as text.
    case head
    /// The content, before content codings.
    case body
}

public struct HoldStatus: Sendable {
    public let id: HoldID
    public let message: HeldMessage
    /// When it was held, in nanoseconds since 1970.
    public let since: Int64
    /// When it ends if no one decides, in nanoseconds since 1970.
    public let deadline: Int64
    /// The name of the client that has claimed it; nil if none has.
    public let claimedBy: String?
}

/// Events for interfaces that handle holds.
public enum HoldNews: Sendable {
    case held(HoldStatus)
    /// A client has claimed a hold, or released it if the name is nil.
    case claimed(HoldID, by: String?)
    /// A hold has ended; with the reason that is recorded.
    case gone(HoldID, reason: String)
}

/// A held message, and the edit of it that has been written so far.
public struct HoldDraft: Sendable {
    public let message: HeldMessage
    let written: WrittenEdit

    /// Returns the content to forward; nil if it is unchanged.
    /// - Parameters:
    ///   - isEdited: Whether the written edit is applied.
    ///   - actions: Further actions, written as in a rule: `set header:X-A=1`.
    public func content(
        isEdited: Bool, actions: [String]
    ) throws(HoldRefusal) -> HeldMessage.Content? {
        var content: HeldMessage.Content?
        if isEdited, !written.isEmpty {
            content = try message.edited(head: written.head, body: written.body)
        }
        guard !actions.isEmpty else { return content }
        return try message.with(content).edited(by: actions)
    }

    /// Returns the answer for the client from the written head and body.
    public func answer() throws(HoldRefusal) -> RuleAnswer {
        guard let text = written.head else { throw .badEdit("an answer needs a head") }
        let head = try HeldHeadText.response(text)
        var fields = head.fields
        // Framing and connection fields are generated when the answer is sent.
        for name in fields.pairs.map(\.name) where RuleTarget.objection(toField: name) != nil {
            fields.removeAll(named: name)
        }
        return RuleAnswer(status: head.status, fields: fields, body: written.body ?? [])
    }
}

/// The edit of a held message that has been written so far.
struct WrittenEdit: Sendable {
    private(set) var head: [UInt8]?
    private(set) var body: [UInt8]?

    var isEmpty: Bool { head == nil && body == nil }

    var byteCount: Int { (head?.count ?? 0) + (body?.count ?? 0) }

    /// Appends a piece; one at offset 0 starts again.
    mutating func write(_ part: HoldPart, at offset: Int, _ bytes: [UInt8]) throws(HoldRefusal) {
        switch part {
        case .head:
            head = try WrittenEdit.joined(head, at: offset, bytes, WireLimits().headByteCountMax)
        case .body: body = try WrittenEdit.joined(body, at: offset, bytes, RuledBody.byteCountMax)
        }
    }

    private static func joined(
        _ written: [UInt8]?, at offset: Int, _ bytes: [UInt8], _ byteCountMax: Int
    ) throws(HoldRefusal) -> [UInt8] {
        let before = offset == 0 ? [] : written ?? []
        guard offset == before.count else { throw .notInSequence }
        guard before.count + bytes.count <= byteCountMax else { throw .tooLarge }
        return before + bytes
    }
}
