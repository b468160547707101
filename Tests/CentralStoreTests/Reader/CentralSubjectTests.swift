import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import Testing

@testable import ProxydCentralStore

/// What filters ask of an exchange in the central store.
@Suite struct CentralSubjectTests {
    private let connection = ScriptedConnection()
    private let failure = CentralSubject.Failure()
    private let subject: CentralSubject

    init() {
        subject = CentralSubject(
            id: ExchangeID(rawValue: centralNumber(1, 5)),
            reader: CentralReader(ScriptedServer(connection).link), failure: failure)
    }

    @Test func `a filter compares parameter names byte by byte, without Unicode normalization`() {
        connection.answer(
            "JOIN parameter",
            .rows(
                [.text("query"), .text("\u{E9}"), .text("1"), .null, .null],
                [.text("query"), .text("e\u{301}"), .text("2"), .null, .null],
                [.text("form"), .text("\u{E9}"), .null, .null, .null]))
        #expect(subject.parameterValues(named: "\u{E9}") == ["1", nil])
        #expect(subject.parameterValues(named: "e\u{301}") == ["2"])
        #expect(subject.parameterValues(named: "") == [])
        #expect(failure.error == nil)
    }

    @Test func `a filter of the central store reads the request and response bodies separately`() {
        connection.answer("SELECT content.request_body", .rows([.bytes([1])]))
        connection.answer("SELECT content.response_body", .rows([.bytes([2])]))
        #expect(subject.body(of: .request) == [1])
        #expect(subject.body(of: .response) == [2])
    }

    @Test
    func `a filter treats parts that cannot be read as missing and remembers the first error`() {
        connection.answer("JOIN parameter", .failure(.server(code: "42501", message: "one")))
        connection.answer("JOIN content", .failure(.server(code: "42501", message: "two")))
        connection.answer("SELECT reset", .failure(.server(code: "42501", message: "three")))
        #expect(subject.parameterValues(named: "a") == [])
        #expect(subject.body(of: .response) == [])
        #expect(subject.heads == nil && subject.responseFault == nil && subject.reset == nil)
        #expect(failure.error == .central("one (SQLSTATE 42501)"))
    }
}
