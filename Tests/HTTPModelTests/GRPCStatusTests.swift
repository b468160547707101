import ProxydHTTPModel
import Testing

/// Statuses of gRPC by number and by name, and what `grpc-message` says.
struct GRPCStatusTests {
    @Test(
        arguments: [
            (0, "OK"), (1, "CANCELLED"), (4, "DEADLINE_EXCEEDED"), (5, "NOT_FOUND"),
            (12, "UNIMPLEMENTED"), (14, "UNAVAILABLE"), (16, "UNAUTHENTICATED"),
        ] as [(Int64, String)])
    func `a gRPC status is found by its number, and by its name in any case`(
        number: Int64, name: String
    ) {
        #expect(GRPCStatus(number).name == name)
        #expect(GRPCStatus(number).description == "\(number) \(name)")
        #expect(GRPCStatus(name: name.lowercased()) == GRPCStatus(number))
    }

    @Test func `the 17 gRPC status codes from 0 to 16 are defined`() {
        #expect(GRPCStatus.defined.map(\.number) == Array(0...16))
        #expect(Set(GRPCStatus.defined.map(\.name)).count == 17)
    }

    @Test(arguments: [-1, 17, 99, .min, .max] as [Int64])
    func `an undefined gRPC status code is shown as its number`(number: Int64) {
        #expect(!GRPCStatus(number).isDefined)
        #expect(GRPCStatus(number).name == String(number))
        #expect(GRPCStatus(number).description == String(number))
    }

    @Test func `an unknown gRPC status name is rejected, but canceled is accepted for CANCELLED`() {
        #expect(GRPCStatus(name: "FINE") == nil)
        #expect(GRPCStatus(name: "") == nil)
        #expect(GRPCStatus(name: "canceled")?.number == 1)
    }

    @Test(arguments: [
        ("no%20such user", "no such user"), ("100%25", "100%"), ("%e2%82%AC", "€"),
        ("50% off", "50% off"), ("%", "%"), ("%4", "%4"), ("%zz%41", "%zzA"),
        ("%ff", "\u{FFFD}"), ("", ""), ("naïve", "naïve"), ("%0a", "\n"),
    ])
    func `grpc-message is percent-decoded, and invalid escapes are kept`(
        value: String, message: String
    ) {
        #expect(GRPCStatus.message(of: value) == message)
    }
}
