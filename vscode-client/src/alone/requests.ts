/** Questions to a worker with Keepstate in it, which answers them in their order. */

/** The way to a worker. */
export interface Channel {
  post(request: string): void;
  /** Who listens hears the answers, and once why there will be none any more. */
  listen(answered: (answer: string) => void, failed: (reason: string) => void): void;
  close(): void;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

export class Requests {
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;
  private failure: string | undefined;

  /** `failed` hears why the worker ended, if it was not closed. */
  constructor(
    private readonly channel: Channel,
    failed: (reason: string) => void = () => undefined,
  ) {
    channel.listen(
      (text) => this.take(JSON.parse(text) as { id: number | null; answer?: unknown; error?: string }, failed),
      (reason) => this.fail(`The worker failed: ${reason}`, failed),
    );
  }

  ask<Answer>(request: object): Promise<Answer> {
    if (this.failure !== undefined) {
      return Promise.reject(new Error(this.failure));
    }
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: (answer) => resolve(answer as Answer), reject });
      this.channel.post(JSON.stringify({ ...request, id }));
    });
  }

  close(): void {
    this.end("Keepstate was stopped.");
    this.channel.close();
  }

  private take({ id, answer, error }: { id: number | null; answer?: unknown; error?: string }, failed: (reason: string) => void): void {
    if (id === null) {
      // Without an id, nothing was started, and nothing will be answered.
      return this.fail(error ?? "The worker gave no answer.", failed);
    }
    const asked = this.waiting.get(id);
    this.waiting.delete(id);
    error === undefined ? asked?.resolve(answer) : asked?.reject(new Error(error));
  }

  private fail(reason: string, failed: (reason: string) => void): void {
    if (this.failure === undefined) {
      this.end(reason);
      failed(reason);
    }
  }

  private end(reason: string): void {
    this.failure ??= reason;
    for (const { reject } of this.waiting.values()) {
      reject(new Error(this.failure));
    }
    this.waiting.clear();
  }
}
