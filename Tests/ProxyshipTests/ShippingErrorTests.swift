import ProxydCaptureModel
import ProxydCentralStore
import Testing
@testable import proxyship

/// Which errors end delivery, and which are waited for.
@Suite struct ShippingErrorTests {
    @Test(
        arguments: [
            (ShippingError.stopped, true, "stopped before everything was delivered"),
            (.local("the store was replaced"), false, "the store was replaced"),
            (
                .central(.location("choose another name")), true,
                "central store: choose another name"
            ),
            (.central(.connection("refused")), false, "central store: refused"),
            (.central(.cancelled), true, "central store: cancelled"),
            (
                .central(.server(code: "53100", message: "no space left")), false,
                "central store: no space left (SQLSTATE 53100)"
            ),
            (
                .central(.server(code: "40001", message: "again")), false,
                "central store: again (SQLSTATE 40001)"
            ),
            (
                .central(.server(code: "23514", message: "check")), false,
                "central store: check (SQLSTATE 23514)"
            ),
            (
                .central(.server(code: "42501", message: "permission denied")), true,
                "central store: permission denied (SQLSTATE 42501)"
            ),
        ] as [(ShippingError, Bool, String)])
    func `a delivery error has a message and is marked as final if retrying cannot help`(
        error: ShippingError, isFinal: Bool, message: String
    ) {
        #expect(error.isFinal == isFinal)
        #expect(error.message == message)
    }

    @Test func `errors from the local and the central store are converted to delivery errors`() {
        let missing = #expect(throws: ShippingError.self) {
            try local { () throws(StoreError) -> Int in
                throw StoreError.missing(path: "/data/captures.sqlite")
            }
        }
        #expect(
            missing?.message
                == "/data/captures.sqlite is missing or empty: nothing has been captured yet")
        #expect(missing?.isFinal == false)
        let away = #expect(throws: ShippingError.self) {
            try central { () throws(CentralError) -> Int in throw CentralError.connection("away") }
        }
        #expect(away?.message == "central store: away")
    }

    @Test
    func `converting errors to delivery errors does not change the result of a successful call`()
        throws
    {
        #expect(try local { () throws(StoreError) in 7 } == 7)
        #expect(try central { () throws(CentralError) in "x" } == "x")
    }
}
