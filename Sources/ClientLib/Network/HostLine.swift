internal import Transport

/// The calls to one host and port: how many run, and who waits for a turn, first come first
/// served. Confined to its lane's loop.
final class HostLine {
    let target: ConnectTarget
    /// The HTTP proxy that the target is, where requests go to one; nil where they go to the
    /// server, be it through a tunnel.
    let proxy: ProxyServer?
    private var waiting: [NetworkCall] = []
    private var firstWaiting = 0
    private(set) var runningCount = 0

    init(target: ConnectTarget, proxy: ProxyServer? = nil) {
        self.target = target
        self.proxy = proxy
    }

    /// Whether nothing runs and nobody waits.
    var isIdle: Bool { runningCount == 0 && firstWaiting == waiting.count }

    /// Whether a call may run now; it waits where it may not.
    func admit(_ call: NetworkCall, runningCountMax: Int) -> Bool {
        guard runningCount < runningCountMax else {
            waiting.append(call)
            return false
        }
        runningCount += 1
        return true
    }

    /// A call that ran is over. Gives who is next, and counts it as running.
    func leave() -> NetworkCall? {
        while firstWaiting < waiting.count {
            let next = waiting[firstWaiting]
            firstWaiting += 1
            compact()
            if !next.isOver { return next }
        }
        runningCount -= 1
        return nil
    }

    private func compact() {
        if firstWaiting == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            firstWaiting = 0
        } else if firstWaiting >= 64, firstWaiting * 2 >= waiting.count {
            waiting.removeFirst(firstWaiting)
            firstWaiting = 0
        }
    }
}
