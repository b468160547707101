/// Wakes a loop when other threads have queued work for it.
final class Wakeup: EventTarget {
    private let inbox: Inbox
    private var registration: EventRegistration?

    init(loop: EventLoop, inbox: Inbox) {
        self.inbox = inbox
        super.init(loop: loop)
    }

    func start() {
        registration = EventRegistration(
            target: self, descriptor: inbox.descriptor, interest: [.read, .persist])
        registration?.add()
    }

    override func eventDidFire(_ readiness: Readiness) { loop.runInbox() }
}
