package keepstate.flink;

import java.io.DataInputStream;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamGraphHasherV2;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.table.api.PlanReference;
import org.apache.flink.table.api.internal.StatementSetImpl;
import org.apache.flink.table.api.internal.TableEnvironmentImpl;
import org.apache.flink.table.delegation.Executor;
import org.apache.flink.table.delegation.InternalPlan;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;

/**
 * Reads the operators of a planned job, the progress of a running one, and the states in a savepoint.
 *
 * Written for Janino: neither lambdas nor generics.
 */
public final class Jobs {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Jobs() {
    }

    /** The compiled plan of a file. */
    public static Object loaded(Object environment, String plan) throws Exception {
        return ((TableEnvironmentImpl) environment).getPlanner().loadPlan(PlanReference.fromJsonString(plan));
    }

    /** The compiled plan of the statements of a set, with the numbers of nodes that a new session gives. */
    public static Object compiled(Object environment, Object statements) throws Exception {
        ExecNodeContext.resetIdCounter();
        return ((TableEnvironmentImpl) environment).getPlanner().compilePlan(
            ((StatementSetImpl) statements).getOperations());
    }

    /** Starts the statements of a set, or a compiled plan. */
    public static Object execute(Object environment, Object statements) throws Exception {
        if (statements instanceof InternalPlan) {
            return ((TableEnvironmentImpl) environment).executePlan((InternalPlan) statements);
        }
        return ((StatementSetImpl) statements).execute();
    }

    /** The graph of the statements of a set, or of a compiled plan, without running it. */
    public static StreamGraph graph(Object environment, Object statements) throws Exception {
        TableEnvironmentImpl tables = (TableEnvironmentImpl) environment;
        ExecNodeContext.resetIdCounter();
        List translated = statements instanceof InternalPlan
            ? tables.getPlanner().translatePlan((InternalPlan) statements)
            : tables.getPlanner().translate(((StatementSetImpl) statements).getOperations());
        Field field = TableEnvironmentImpl.class.getDeclaredField("execEnv");
        field.setAccessible(true);
        Executor executor = (Executor) field.get(tables);
        return (StreamGraph) executor.createPipeline(translated, tables.getConfig(), "keepstate");
    }

    /** The ids under which the operators of a graph store their state, as hexadecimal digits, by the number of the node. */
    public static Map ids(StreamGraph graph) {
        Map ids = new LinkedHashMap();
        for (Object each : new StreamGraphHasherV2().traverseStreamGraphAndGenerateHashes(graph).entrySet()) {
            Map.Entry entry = (Map.Entry) each;
            byte[] id = (byte[]) entry.getValue();
            StringBuilder hex = new StringBuilder();
            for (int i = 0; i < id.length; i++) {
                hex.append(Integer.toHexString((id[i] & 0xff) | 0x100).substring(1));
            }
            ids.put(entry.getKey(), hex.toString());
        }
        return ids;
    }

    /** JSON of the operators of the statements of a set: "id", "name" and the number of "inputs" of each. */
    public static String operators(Object environment, Object statements) throws Exception {
        StreamGraph graph = graph(environment, statements);
        Map ids = ids(graph);
        List operators = new ArrayList();
        for (Object each : graph.getStreamNodes()) {
            StreamNode node = (StreamNode) each;
            Map operator = new LinkedHashMap();
            operator.put("id", ids.get(Integer.valueOf(node.getId())));
            operator.put("name", node.getOperatorName());
            operator.put("inputs", Integer.valueOf(node.getInEdges().size()));
            operators.add(operator);
        }
        return JSON.writeValueAsString(operators);
    }

    /** Whether each task of a job runs: its operators are open then, and have taken their state. */
    public static boolean isOpen(MiniCluster cluster, JobID job) throws Exception {
        AccessExecutionGraph graph = (AccessExecutionGraph) cluster.getExecutionGraph(job).get();
        for (Object each : graph.getAllExecutionVertices()) {
            String state = ((AccessExecutionVertex) each).getExecutionState().name();
            if (!state.equals("RUNNING") && !state.equals("FINISHED")) {
                return false;
            }
        }
        return true;
    }

    /** JSON of the names of the states in a savepoint, by the id of their operator; one without state has none. */
    public static String stored(String folder) throws Exception {
        Path path = new Path(new Path(folder), "_metadata");
        Map operators = new LinkedHashMap();
        FSDataInputStream stream = path.getFileSystem().open(path);
        try {
            ClassLoader loader = Jobs.class.getClassLoader();
            CheckpointMetadata metadata =
                Checkpoints.loadCheckpointMetadata(new DataInputStream(stream), loader, folder);
            for (Object each : metadata.getOperatorStates()) {
                OperatorState operator = (OperatorState) each;
                Set names = new TreeSet();
                for (Object part : operator.getStates()) {
                    add((OperatorSubtaskState) part, loader, names);
                }
                operators.put(operator.getOperatorID().toHexString(), names);
            }
        } finally {
            stream.close();
        }
        return JSON.writeValueAsString(operators);
    }

    static void add(OperatorSubtaskState part, ClassLoader loader, Set names) throws Exception {
        for (Object handle : part.getManagedOperatorState()) {
            names.addAll(((OperatorStateHandle) handle).getStateNameToPartitionOffsets().keySet());
        }
        for (Object handle : part.getManagedKeyedState()) {
            FSDataInputStream stream = ((KeyGroupsStateHandle) handle).openInputStream();
            try {
                KeyedBackendSerializationProxy read = new KeyedBackendSerializationProxy(loader);
                read.read(new DataInputViewStreamWrapper(stream));
                for (Object state : read.getStateMetaInfoSnapshots()) {
                    names.add(((StateMetaInfoSnapshot) state).getName());
                }
            } finally {
                stream.close();
            }
        }
    }
}
