internal import Glibc

/// One attempt to connect to one address. Loop-confined; retained until it ends or is cancelled.
public final class ConnectAttempt: EventTarget {
    public typealias Outcome = Result<SocketStream, StreamError>

    private let address: SocketAddress
    private var descriptor: Int32 = -1
    private var completion: ((Outcome) -> Void)?
    private var registration: EventRegistration?
    private var keptAlive: ConnectAttempt?

    /// Starts to connect. `completion` is called once, on the loop and never from within this call,
    /// unless the attempt is cancelled. The only time limit is the kernel's (minutes).
    @discardableResult
    public init(
        to address: SocketAddress, on loop: EventLoop, completion: @escaping (Outcome) -> Void
    ) {
        loop.preconditionOnLoop()
        self.address = address
        self.completion = completion
        super.init(loop: loop)
        keptAlive = self
        begin()
    }

    private func begin() {
        descriptor = SocketCalls.makeSocket(family: address.kernelFamily)
        guard descriptor >= 0 else { return finishLater(errno) }
        SocketCalls.setConnectionDefaults(descriptor)
        let result = address.withKernelForm { connect(descriptor, $0, $1) }
        if result == 0 || errno == EINPROGRESS || errno == EINTR {
            watch()
        } else {
            finishLater(errno)
        }
    }

    /// The local address; nil once the attempt is over.
    public var localAddress: SocketAddress? {
        guard descriptor >= 0 else { return nil }
        return SocketAddress.fromKernel { getsockname(descriptor, $0, $1) }.address
    }

    /// Cancels the attempt; `completion` is not called.
    public func cancel() {
        loop.preconditionOnLoop()
        release()
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    override func loopDidStop() { release() }

    override func eventDidFire(_ readiness: Readiness) {
        let number = SocketCalls.option(descriptor, SOL_SOCKET, SO_ERROR) ?? errno
        guard number == 0 else { return finish(.failure(StreamError(errorNumber: number))) }
        let stream = SocketStream(
            loop: loop, descriptor: descriptor, peerAddress: address, origin: .opened)
        descriptor = -1
        finish(.success(stream))
    }

    private func watch() {
        registration = EventRegistration(target: self, descriptor: descriptor, interest: .write)
        if registration?.add() == false { finishLater(ENOMEM) }
    }

    private func finishLater(_ number: Int32) {
        loop.afterDispatch { [self] in finish(.failure(StreamError(errorNumber: number))) }
    }

    private func finish(_ outcome: Outcome) {
        let completion = completion
        release()
        completion?(outcome)
    }

    private func release() {
        registration = nil
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
        completion = nil
        keptAlive = nil
    }
}
