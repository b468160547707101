import ProxydTestSupport

extension ScratchFolder {
    var socketPath: String { path + "/control.sock" }
}
