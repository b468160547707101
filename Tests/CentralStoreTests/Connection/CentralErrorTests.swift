import ProxydCaptureModel
import ProxydCentralStore
import Testing

/// What to do about errors, and what people are told.
@Suite struct CentralErrorTests {
    @Test(
        arguments: [
            // PostgreSQL manual, appendix A.
            ("40001", .again), ("40P01", .again), ("40002", .stop), ("40003", .stop),
            ("55P03", .wait), ("55006", .wait), ("25006", .wait), ("55000", .stop),
            ("25001", .stop),
            ("08000", .wait), ("08006", .wait), ("08P01", .wait),
            ("53000", .wait), ("53100", .wait), ("53200", .wait), ("53300", .wait),
            ("57014", .wait), ("57P01", .wait), ("57P02", .wait), ("57P03", .wait),
            ("58000", .wait), ("58030", .wait),
            ("22000", .halve), ("22021", .halve), ("22P05", .halve), ("23505", .halve),
            ("23514", .halve), ("54000", .halve), ("54001", .halve),
            ("42501", .stop), ("42P01", .stop), ("28P01", .stop), ("3F000", .stop),
            ("3D000", .stop),
            ("XX000", .stop), ("00000", .stop), ("", .stop), ("2", .stop), ("22", .halve),
        ] as [(String, CentralError.Remedy)])
    func `the SQLSTATE decides if a failed delivery is retried, delayed, halved or stopped`(
        code: String, remedy: CentralError.Remedy
    ) {
        #expect(CentralError.server(code: code, message: "22000").remedy == remedy)
    }

    @Test func `a delivery waits after connection errors but stops after configuration errors`() {
        #expect(CentralError.connection("28P01").remedy == .wait)
        #expect(CentralError.location("no schema").remedy == .stop)
        #expect(CentralError.cancelled.remedy == .stop)
    }

    @Test(
        arguments: [
            (.location("name a schema"), "name a schema"), (.connection("gone"), "gone"),
            (.server(code: "42P01", message: "no table"), "no table (SQLSTATE 42P01)"),
        ] as [(CentralError, String)])
    func `errors from the central store are reported with their message and SQLSTATE`(
        error: CentralError, message: String
    ) {
        #expect(error.message == message)
        #expect(error.storeError == .central(message))
    }

    @Test func `a cancelled read of the central store is reported as cancelled`() {
        #expect(CentralError.cancelled.message == "cancelled")
        #expect(CentralError.cancelled.storeError == .cancelled)
    }
}
