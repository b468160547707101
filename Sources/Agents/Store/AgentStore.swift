internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydOperations
internal import ProxydExchangeContent
internal import ProxydRedaction
internal import ProxydStoreAnswers

/// The store as agents see it: rows and exchanges come without credentials unless the policy shows
/// them.
struct AgentStore {
    private let door: StoreDoor
    let redactor: ExchangeRedactor?
    private let clock: @Sendable () -> Int64

    init(_ services: AgentServices) {
        door = StoreDoor(services.openStore, storeIdentity: services.storeIdentity)
        redactor = services.policy.redactor
        clock = services.now
    }

    /// The current time in nanoseconds since 1970.
    var now: Int64 { clock() }

    /// Reads the store without redaction. A caller that reads captured text must redact it itself.
    func read<Value>(
        _ body: (any ExchangeReading) throws(StoreError) -> Value
    ) throws -> Value {
        let reader = try door.reader()
        return try body(reader)
    }

    /// Reads rows.
    func rows(
        _ body: (any ExchangeReading) throws(StoreError) -> [ExchangeRow]
    ) throws -> [ExchangeRow] {
        let rows = try read(body)
        return redactor.map { rows.map($0.redacted) } ?? rows
    }

    /// Finds the identifier of an exchange that an agent names.
    func id(named name: String) throws -> ExchangeID {
        let id = try read { (reader) throws(StoreError) in try reader.exchangeID(named: name) }
        guard let id else { throw ToolProblem("there is no exchange \(name)") }
        return id
    }

    /// Finds the identifier of the exchange that an argument names; nil without that argument.
    func id(_ argument: String, _ arguments: ToolArguments) throws -> ExchangeID? {
        try arguments.exchangeName(argument).map(id(named:))
    }

    func requiredID(
        _ arguments: ToolArguments, _ argument: String = "id"
    ) throws -> ExchangeID {
        guard let id = try id(argument, arguments) else {
            throw ToolProblem("the argument \(argument) is missing")
        }
        return id
    }

    /// The name of an exchange for agents.
    func name(of id: ExchangeID) throws -> String {
        try read { (reader) throws(StoreError) in try reader.name(of: id) }
    }

    /// Reads an exchange with its bodies.
    func exchange(_ id: ExchangeID) throws -> AgentExchange {
        let found = try read { (reader) throws(StoreError) in try ExchangeSubject(id, reader) }
        guard let found else { throw ToolProblem("there is no exchange \(try name(of: id))") }
        return AgentExchange(found, redactor)
    }
}

extension AgentPolicy {
    /// Removes credentials; nil if they are shown.
    var redactor: ExchangeRedactor? {
        redaction.map { ExchangeRedactor($0) }
    }

    /// What is hidden; nil if everything is shown.
    var redaction: Redaction? {
        showsSecrets
            ? nil
            : Redaction(addingFields: hiddenNames.fields, parameters: hiddenNames.parameters)
    }
}
