internal import ArgumentParser
internal import Capture
internal import ProxydCaptureModel
internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// `proxyctl answer-sql`: runs the statement in standard input for `AgentStatement`. Each line of
/// the output is JSON: the names of the columns, then the values of each row, and last an object
/// with the member `done`, or `error`.
struct AnswerSQLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer-sql", abstract: "Run a statement of an agent.", shouldDisplay: false)

    @OptionGroup var global: GlobalOptions

    func run() throws {
        StoreLibrary.limitMemory(byteCount: AgentStatement.storeMemoryByteCount)
        let report = Report()
        let input = try InputFile("-", .current)
        var statement: [UInt8] = []
        while let piece = try input.next() { statement += piece }
        let reader = try StoreReader(directory: global.dataDirectory())
        do throws(StoreError) {
            try reader.sql(String(decoding: statement, as: UTF8.self)) { names in
                report.json(.strings(names))
            } onRow: { values in
                report.json(.array(values.map(SQLJSONPrinter.json)))
                return true
            }
            report.json(.members([("done", .bool(true))]))
        } catch {
            report.json(.members([("error", .string(error.description))]))
        }
    }
}
