package keepstate.flink;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.ManagedMemoryUseCase;
import org.apache.flink.runtime.accumulators.AccumulatorRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.PrioritizedOperatorSubtaskState;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.io.disk.iomanager.IOManager;
import org.apache.flink.runtime.io.disk.iomanager.IOManagerAsync;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.memory.MemoryManager;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.TaskStateManager;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.runtime.taskmanager.TaskManagerRuntimeInfo;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.api.operators.OperatorSnapshotFutures;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.operators.SourceOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorFactoryUtil;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializerImpl;
import org.apache.flink.streaming.runtime.tasks.OneInputStreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTaskActionExecutor;
import org.apache.flink.streaming.runtime.tasks.TimerService;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxDefaultAction;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxProcessor;
import org.apache.flink.table.delegation.InternalPlan;
import org.apache.flink.util.InstantiationUtil;
import org.apache.flink.util.SimpleUserCodeClassLoader;

/**
 * A job as Flink plans it: its compiled plan, and its operators with what they store.
 *
 * An operator registers its states when it opens. So each one with keys is opened here by itself, without a job and
 * without rows, with the state backend of Flink; its snapshot then holds names and serializers as a savepoint does, and
 * the operator of another plan is opened with it to see whether Flink takes it.
 *
 * Written for Janino: neither lambdas nor generics.
 */
public final class Plans {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int GROUPS = 128;
    private static final int MOST_BYTES = 16 << 20;
    private static IOManager files;

    private final StreamGraph graph;
    private final String plan;
    private final String refusal;
    /** Nodes, snapshots and exceptions of operators, by their id. */
    private final Map nodes = new LinkedHashMap();
    private final Map snapshots = new LinkedHashMap();
    private final Map failures = new LinkedHashMap();

    /** Plans the statements of a set, or takes a compiled plan, and opens the operators with keys. */
    public Plans(Object environment, Object statements) throws Exception {
        String compiled = null;
        String reason = null;
        try {
            Object plan = statements instanceof InternalPlan ? statements : Jobs.compiled(environment, statements);
            compiled = ((InternalPlan) plan).asJsonString();
        } catch (Exception error) {
            // A node that has no compiled form may still be run.
            reason = String.valueOf(error.getMessage());
        }
        this.plan = compiled;
        this.refusal = reason;
        this.graph = Jobs.graph(environment, statements);
        Map ids = Jobs.ids(this.graph);
        for (Object each : this.graph.getStreamNodes()) {
            StreamNode node = (StreamNode) each;
            String id = (String) ids.get(Integer.valueOf(node.getId()));
            this.nodes.put(id, node);
            if (node.getStatePartitioners().length > 0) {
                try {
                    this.snapshots.put(id, snapshot(node, id, null));
                } catch (Throwable error) {
                    this.failures.put(id, chain(error));
                }
            }
        }
    }

    /** JSON of the plan ("plan", or the "refusal" to compile it) and of the "operators". */
    public String described() throws Exception {
        List operators = new ArrayList();
        for (Object each : this.nodes.entrySet()) {
            Map.Entry entry = (Map.Entry) each;
            StreamNode node = (StreamNode) entry.getValue();
            Map operator = new LinkedHashMap();
            operator.put("id", entry.getKey());
            operator.put("name", node.getOperatorName());
            operator.put("source", Boolean.valueOf(node.getOperatorFactory() instanceof SourceOperatorFactory));
            Set states = new TreeSet();
            Object snapshot = this.snapshots.get(entry.getKey());
            if (snapshot != null) {
                Jobs.add((OperatorSubtaskState) snapshot, Plans.class.getClassLoader(), states);
            }
            operator.put("states", states);
            operator.put("failure", this.failures.get(entry.getKey()));
            operators.add(operator);
        }
        Map all = new LinkedHashMap();
        all.put("plan", this.plan == null ? null : JSON.readTree(this.plan));
        all.put("refusal", this.refusal);
        all.put("operators", operators);
        return JSON.writeValueAsString(all);
    }

    /** JSON of the exceptions of the operators that do not open with the state of those of a former plan, by id. */
    public String refused(Object former) throws Exception {
        Map refused = new LinkedHashMap();
        for (Object each : ((Plans) former).snapshots.entrySet()) {
            Map.Entry entry = (Map.Entry) each;
            StreamNode node = (StreamNode) this.nodes.get(entry.getKey());
            if (node != null && node.getStatePartitioners().length > 0) {
                try {
                    snapshot(node, (String) entry.getKey(), (OperatorSubtaskState) entry.getValue());
                } catch (Throwable error) {
                    refused.put(entry.getKey(), chain(error));
                }
            }
        }
        return JSON.writeValueAsString(refused);
    }

    /** The snapshot of an operator that is open, with the state of a former one if there is one. */
    private OperatorSubtaskState snapshot(StreamNode node, String id, OperatorSubtaskState former) throws Exception {
        ClassLoader loader = Plans.class.getClassLoader();
        Thread.currentThread().setContextClassLoader(loader);
        StreamConfig config = config(node, id);
        MemoryManager memory = MemoryManager.create(MOST_BYTES, MemoryManager.DEFAULT_PAGE_SIZE);
        CloseableRegistry registry = new CloseableRegistry();
        StreamOperator operator = null;
        try {
            Environment environment = environment(node, config, memory, former);
            StreamTask task = task(environment, config, registry);
            // An operator is opened once: what it made when it was opened before must not be seen.
            StreamOperatorFactory factory = (StreamOperatorFactory) InstantiationUtil.deserializeObject(
                InstantiationUtil.serializeObject(node.getOperatorFactory()), loader);
            Output output = (Output) proxy(Output.class, Collections.emptyMap());
            operator = (StreamOperator) StreamOperatorFactoryUtil.createOperator(factory, task, config, output, null).f0;
            operator.initializeState(new StreamTaskStateInitializerImpl(environment, new HashMapStateBackend()));
            operator.open();
            OperatorSnapshotFutures futures = operator.snapshotState(
                1L, 1L, CheckpointOptions.forCheckpointWithDefaultLocation(), new MemCheckpointStreamFactory(MOST_BYTES));
            OperatorSubtaskState.Builder taken = OperatorSubtaskState.builder();
            StateObject keyed = taken(futures.getKeyedStateManagedFuture());
            StateObject own = taken(futures.getOperatorStateManagedFuture());
            if (keyed != null) {
                taken.setManagedKeyedState((KeyedStateHandle) keyed);
            }
            if (own != null) {
                taken.setManagedOperatorState((OperatorStateHandle) own);
            }
            return taken.build();
        } finally {
            if (operator != null) {
                operator.close();
            }
            registry.close();
            memory.shutdown();
        }
    }

    private static StateObject taken(RunnableFuture future) throws Exception {
        future.run();
        return ((SnapshotResult) future.get()).getJobManagerOwnedSnapshot();
    }

    private static StreamConfig config(StreamNode node, String id) {
        StreamConfig config = new StreamConfig(new Configuration());
        byte[] bytes = new byte[id.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(id.substring(2 * i, 2 * i + 2), 16);
        }
        config.setOperatorID(new OperatorID(bytes));
        config.setOperatorName(node.getOperatorName());
        config.setStateKeySerializer(node.getStateKeySerializer());
        for (int i = 0; i < node.getStatePartitioners().length; i++) {
            config.setStatePartitioner(i, node.getStatePartitioners()[i]);
        }
        config.setupNetworkInputs(node.getTypeSerializersIn());
        config.setTypeSerializerOut(node.getTypeSerializerOut());
        config.setManagedMemoryFractionOperatorOfUseCase(ManagedMemoryUseCase.OPERATOR, 0.5);
        config.setManagedMemoryFractionOperatorOfUseCase(ManagedMemoryUseCase.STATE_BACKEND, 0.5);
        config.serializeAllConfigs();
        return config;
    }

    private Environment environment(
            StreamNode node, StreamConfig config, MemoryManager memory, OperatorSubtaskState former) throws Exception {
        PrioritizedOperatorSubtaskState restored = former == null
            ? PrioritizedOperatorSubtaskState.emptyNotRestored()
            : new PrioritizedOperatorSubtaskState.Builder(former, Collections.emptyList(), Long.valueOf(1)).build();
        Map states = new LinkedHashMap();
        states.put("prioritizedOperatorState", restored);
        states.put("createLocalRecoveryConfig", noLocalRecovery());
        states.put("getRestoreCheckpointId", former == null ? Optional.empty() : Optional.of(Long.valueOf(1)));
        Map manager = new LinkedHashMap();
        manager.put("getConfiguration", new Configuration());
        manager.put("getTmpDirectories", new String[] {System.getProperty("java.io.tmpdir")});
        JobID job = new JobID();
        Map found = new LinkedHashMap();
        found.put("getExecutionConfig", this.graph.getExecutionConfig());
        found.put("getJobID", job);
        found.put("getTaskConfiguration", config.getConfiguration());
        found.put("getJobConfiguration", new Configuration());
        found.put("getTaskManagerInfo", proxy(TaskManagerRuntimeInfo.class, manager));
        found.put("getMetricGroup", UnregisteredMetricGroups.createUnregisteredTaskMetricGroup());
        found.put("getTaskInfo", taskInfo(node.getOperatorName()));
        found.put("getJobInfo", jobInfo());
        found.put("getIOManager", files());
        found.put("getMemoryManager", memory);
        found.put("getUserCodeClassLoader", SimpleUserCodeClassLoader.create(Plans.class.getClassLoader()));
        found.put("getDistributedCacheEntries", Collections.emptyMap());
        found.put("getTaskStateManager", proxy(TaskStateManager.class, states));
        found.put("getAccumulatorRegistry", new AccumulatorRegistry(job, ExecutionAttemptID.randomId()));
        return (Environment) proxy(Environment.class, found);
    }

    /** A task around one operator, which nothing runs: what operators ask of it when they open is set, and no more. */
    private static StreamTask task(Environment environment, StreamConfig config, CloseableRegistry registry)
            throws Exception {
        Class unsafe = Class.forName("sun.misc.Unsafe");
        Field only = unsafe.getDeclaredField("theUnsafe");
        only.setAccessible(true);
        Method allocate = unsafe.getMethod("allocateInstance", new Class[] {Class.class});
        Object task = allocate.invoke(only.get(null), new Object[] {OneInputStreamTask.class});
        set(task, "environment", environment);
        set(task, "configuration", config);
        set(task, "cancelables", registry);
        set(task, "actionExecutor", StreamTaskActionExecutor.IMMEDIATE);
        set(task, "timerService", proxy(TimerService.class, Collections.emptyMap()));
        set(task, "systemTimerService", proxy(TimerService.class, Collections.emptyMap()));
        Object action = proxy(MailboxDefaultAction.class, Collections.emptyMap());
        set(task, "mailboxProcessor", new MailboxProcessor((MailboxDefaultAction) action));
        return (StreamTask) task;
    }

    private static void set(Object task, String name, Object value) throws Exception {
        Field field = StreamTask.class.getDeclaredField(name);
        field.setAccessible(true);
        field.set(task, value);
    }

    /** Flink 1.19 has made an interface of the class. */
    private static Object taskInfo(String name) throws Exception {
        Class type = Class.forName("org.apache.flink.api.common.TaskInfo");
        if (type.isInterface()) {
            type = Class.forName("org.apache.flink.api.common.TaskInfoImpl");
        }
        Constructor made = type.getConstructor(new Class[] {
            String.class, Integer.TYPE, Integer.TYPE, Integer.TYPE, Integer.TYPE
        });
        Object[] values = {name, Integer.valueOf(GROUPS), Integer.valueOf(0), Integer.valueOf(1), Integer.valueOf(0)};
        return made.newInstance(values);
    }

    /** Flink 1.18 does not know the type. */
    private static Object jobInfo() {
        try {
            return proxy(Class.forName("org.apache.flink.api.common.JobInfo"), Collections.emptyMap());
        } catch (ClassNotFoundException error) {
            return null;
        }
    }

    /** Flink 1.20 gave it two switches. */
    private static Object noLocalRecovery() throws Exception {
        Constructor made = LocalRecoveryConfig.class.getDeclaredConstructors()[0];
        Object[] values = new Object[made.getParameterTypes().length];
        for (int i = 0; i < values.length; i++) {
            values[i] = made.getParameterTypes()[i] == Boolean.TYPE ? Boolean.FALSE : null;
        }
        made.setAccessible(true);
        return made.newInstance(values);
    }

    private static synchronized IOManager files() {
        if (files == null) {
            files = new IOManagerAsync();
        }
        return files;
    }

    /** The first lines of an exception and of its causes, from the outside in. */
    private static List chain(Throwable error) {
        List lines = new ArrayList();
        for (Throwable cause = error; cause != null && lines.size() < 30; cause = cause.getCause()) {
            lines.add(cause.toString().split("\n")[0]);
        }
        return lines;
    }

    private static Object proxy(Class type, Map answers) {
        return Proxy.newProxyInstance(Plans.class.getClassLoader(), new Class[] {type}, new Answers(answers));
    }

    /** Answers the methods of an interface by their names; all others with nothing. */
    public static final class Answers implements InvocationHandler {
        private final Map answers;

        Answers(Map answers) {
            this.answers = answers;
        }

        public Object invoke(Object self, Method method, Object[] arguments) {
            String name = method.getName();
            if (this.answers.containsKey(name)) {
                return this.answers.get(name);
            }
            if (name.equals("hashCode")) {
                return Integer.valueOf(System.identityHashCode(self));
            }
            if (name.equals("equals")) {
                return Boolean.valueOf(self == arguments[0]);
            }
            Class type = method.getReturnType();
            if (type == Boolean.TYPE) {
                return Boolean.FALSE;
            }
            if (type == Long.TYPE) {
                return Long.valueOf(0);
            }
            if (type == Integer.TYPE) {
                return Integer.valueOf(0);
            }
            return type == String.class ? "" : type == Optional.class ? Optional.empty() : null;
        }
    }
}
